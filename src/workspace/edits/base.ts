import type { ChangeRecord } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { Plan } from "../planners/plan.ts";
import type { SeenDocuments } from "../seen/seen-documents.ts";
import { covers, type Sight, type Sighting, sightingsWithOwn } from "../seen/sight.ts";
import { digestNow } from "../versions/digest.ts";
import type { Version } from "../versions/version.ts";
import { type Aim, type EditRequest, LATEST } from "./request.ts";

/** A version that an edit may be made from. */
export interface Base {
  readonly change: ChangeRecord;
  /** Returns false for a plan that changes places of this version that its author has not seen. */
  readonly allows: (plan: Plan) => boolean;
}

/** The most changes over which an edit by content is carried; beyond them it is made in the newest text (I14). */
const REACH = 1_000;

const ANYTHING = () => true;

/** The refusals of an edit that may fit another version. */
const MISFITS: ReadonlySet<Refusal["code"]> = new Set([
  "NO_MATCH",
  "PATCH_REJECTED",
  "INVALID_POSITION",
  "STALE_VERSION",
]);

/** Returns true for a plan that a base does not allow, or whose refusal another base may lift. */
export function isMisfit({ allows }: Base, plan: Outcome<Plan>): boolean {
  return isRefusal(plan) ? MISFITS.has(plan.code) : !allows(plan);
}

/**
 * Returns the versions that an edit may be made from, the best first: the one that it names, or the versions that its
 * session has seen. An edit by content may also be made from the newest text. Others are refused where the session has
 * seen nothing that they refer to.
 */
export function basesOf(
  document: Document,
  request: EditRequest,
  seen: SeenDocuments | undefined,
): Outcome<readonly Base[]> {
  const { version, sha256, aim } = request;
  if (version !== undefined || sha256 !== undefined || aim === undefined || seen === undefined) {
    const change = namedBase(document, request);
    return isRefusal(change) ? change : [{ change, allows: ANYTHING }];
  }
  const sight = seen.of(document.id);
  const bases = sight === undefined ? [] : seenBases(document, aim, sight);
  if (aim === "content" && !bases.some(({ change }) => change.id === document.head.id))
    return [...bases, { change: document.head, allows: isPlaced }];
  return bases.length > 0 ? bases : versionRequired(document, aim, sight);
}

/** The refusal of an edit whose session has not seen the text that it refers to. */
export function versionRequired(
  { path, version, versions }: Document,
  aim: Aim | undefined,
  sight: Sight | undefined,
): Refusal {
  const stored = sight?.sightings.filter((one) => versions.find(one.version) !== undefined) ?? [];
  const isBehind = stored.length > 0 && sight !== undefined && sightingsWithOwn(sight).length === 0;
  const seenNow =
    stored.length === 0
      ? `this session has not read ${path}`
      : isBehind && aim === "view"
        ? `${path} has changed since this session read its view`
        : isBehind
          ? `others changed ${path} before your last edit, and this session has not read it since`
          : `this session has read only a part of ${path}`;
  const means =
    aim === "content"
      ? "a hunk without lines on both sides of its change may meet"
      : aim === "places"
        ? "positions may meet"
        : "a whole text would delete";
  return new Refusal("VERSION_REQUIRED", `${seenNow}; ${means} text that it has not seen`, {
    suggestion:
      `Read the ${aim === "view" ? "view" : "document"} with doc.read, then make the edit from that text. ` +
      'To mean the newest text, whatever it holds, send version: "latest".',
    details: { version },
  });
}

function seenBases(document: Document, aim: Aim, sight: Sight): readonly Base[] {
  if (aim === "content") return contentBases(document, sight);
  return sightingsWithOwn(sight)
    .filter(({ shown }) => isUseful(aim, shown))
    .flatMap((sighting) => baseAt(document, sighting.version, (plan) => allowed(aim, sighting, plan)));
}

/**
 * Returns the versions for an edit by content: the newest that the session learned of, then the versions that it has
 * seen.
 */
function contentBases(document: Document, sight: Sight): readonly Base[] {
  const sightings = [...sight.sightings].reverse();
  const seen = sightings.flatMap((sighting) =>
    baseAt(document, sighting.version, (plan) => allowed("content", sighting, plan)),
  );
  const isSeen = sightings.some(({ version }) => version === sight.version);
  const bases = isSeen ? seen : [...baseAt(document, sight.version, isPlaced), ...seen];
  return bases.filter(({ change }) => document.head.seq - change.seq <= REACH);
}

function baseAt({ versions }: Document, version: Version, allows: Base["allows"]): readonly Base[] {
  const change = versions.find(version);
  return change === undefined ? [] : [{ change, allows }];
}

function isUseful(aim: Exclude<Aim, "content">, shown: Sighting["shown"]): boolean {
  switch (aim) {
    case "places":
      return shown !== "view";
    case "text":
      return shown === "text";
    case "view":
      return shown === "text" || shown === "view";
  }
}

function allowed(aim: Aim, { shown }: Sighting, plan: Plan): boolean {
  if (shown === "text" || aim === "text" || aim === "view") return true;
  if (aim === "content" && isPlaced(plan)) return true;
  return shown !== "view" && covers(shown, plan.splices);
}

/** Returns true for a plan that the text itself places. */
function isPlaced({ blind }: Plan): boolean {
  return blind !== true;
}

function namedBase(document: Document, { version, sha256 }: EditRequest): Outcome<ChangeRecord> {
  const { versions, head } = document;
  if (version === undefined && sha256 === undefined) return head;
  const byVersion = version === undefined ? undefined : version === LATEST ? head : versions.find(version);
  if (version !== undefined && byVersion === undefined)
    return staleRefusal(document, `${JSON.stringify(version)} is not a version of this document`);
  if (sha256 === undefined) return byVersion!;
  if (byVersion === undefined && digestNow(document.content) === sha256.toLowerCase()) return head;
  const byHash = versions.findHash(sha256.toLowerCase());
  if (byVersion !== undefined && byVersion.sha256 !== undefined && byVersion.sha256 !== sha256.toLowerCase())
    return new Refusal("INVALID_ARGUMENT", "version and sha256 name different texts; give one of them");
  return byVersion ?? byHash ?? staleRefusal(document, "no recent version of this document has that sha256");
}

/** The refusal of an edit whose base is not the newest version, or no version at all. */
export function staleRefusal(document: Document, message: string): Refusal {
  return new Refusal("STALE_VERSION", `${message}; it is now ${document.version}`, {
    suggestion: "Read the document again and make the edit against that version.",
    details: {
      reason: "stale_version",
      version: document.version,
      sha256: digestNow(document.content) ?? null,
    },
  });
}
