import { parseNewPath } from "../../mirror/path.ts";
import type { Text } from "../../text/text.ts";
import { FREE_ANSWER_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import type { Document } from "../../workspace/document/document.ts";
import { isRefused } from "../../workspace/edits/request.ts";
import * as documents from "../../workspace/folder/documents.ts";
import { contentOf, type FileChange } from "../../workspace/folder/file-changes.ts";
import type { ChangesSince } from "../../workspace/history/history.ts";
import type { Cause } from "../../workspace/journal/change.ts";
import { linesRefusal, rangeIn } from "../../workspace/outcome/position-refusals.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { samePathRefusal } from "../../workspace/outcome/refusals.ts";
import { structureCost } from "../../workspace/planners/structure.ts";
import { viewOf } from "../../workspace/planners/view.ts";
import type { Proposals } from "../../workspace/proposals/proposals.ts";
import type { SeenDocuments } from "../../workspace/seen/seen-documents.ts";
import type { Range } from "../../workspace/seen/sight.ts";
import { digestText } from "../../workspace/versions/digest.ts";
import type { TokenWorkers } from "../../workspace/workers/workers.ts";
import { lineStartsOutwards, splicesOutwards } from "../base/units.ts";
import type { documents as schemas } from "../schemas/documents.ts";
import type { Params, Result } from "../schemas/schemas.ts";
import type { GuardedService, RequestContext, Requester } from "../service/service.ts";
import { olderVersion, wireDiff } from "./document-diff.ts";
import { type Handlers, withDocument } from "./handler.ts";

export const documentHandlers: Handlers<keyof typeof schemas> = {
  "doc.list": async ({ workspace }, _requester, { pattern, loaded }) => ({
    docs: await workspace.list({ pattern, loaded }),
  }),

  async "doc.status"({ workspace }, _requester, query) {
    if ("docId" in query) {
      const document = await workspace.openedById(query.docId);
      if (isRefusal(document)) return document;
      return { docs: document === undefined ? [] : [await documents.status(document)] };
    }
    const { path } = query;
    if (path === undefined) return { docs: await Promise.all(workspace.loaded.map(documents.status)) };
    const document = await workspace.opened(path);
    return isRefusal(document) ? document : { docs: [await documents.status(document)] };
  },

  "doc.open": ({ workspace }, _requester, { path }) => withDocument(workspace.open(path), documents.info),

  "doc.read": (service, asker, request) =>
    withDocument(roomFor(service, asker, request), (document) => read(service, document, asker, request)),

  async "doc.create"({ workspace, proposals }, { actor }, { path, text, message }) {
    const content = contentOf(text);
    const document = await workspace.create(path, content, causeOf(message));
    if (isProposable(document))
      return proposedFile(proposals, actor, { operation: "create", path, content }, message);
    if (isRefusal(document)) return document;
    // Its author has seen the text as the document holds it now.
    if (!content.bom && document.text.equals(content.text))
      actor.seen?.sawText(document.id, document.version);
    return documents.info(document);
  },

  "doc.delete": ({ workspace, proposals }, { actor }, { path, message }) =>
    withDocument(workspace.open(path), async (document) => {
      const refused = await workspace.remove(document, causeOf(message));
      if (isProposable(refused))
        return proposedFile(proposals, actor, { operation: "delete", path }, message);
      return isRefusal(refused) ? refused : { path: document.path };
    }),

  "doc.restore": ({ workspace }, _requester, { path, message }) =>
    withDocument(workspace.restore(path, causeOf(message)), documents.info),

  "doc.rename": ({ workspace, proposals }, { actor }, { path, to, message }) =>
    withDocument(workspace.open(path), async (document) => {
      const isThere = parseNewPath(to) === document.path;
      const moved = isThere
        ? samePathRefusal(document.path)
        : await workspace.rename(document, to, causeOf(message));
      if (isProposable(moved))
        return proposedFile(proposals, actor, { operation: "rename", path, to }, message);
      return isRefusal(moved) ? moved : { path: moved };
    }),

  "doc.save": ({ workspace }, _requester, request) =>
    withDocument(workspace.open(request.path), async (document) => {
      const { path, version } = document;
      const refused = await documents.save(document);
      return isRefusal(refused) ? refused : { path, version, mirrored: true as const };
    }),

  "doc.reload": ({ workspace }, { actor }, { path }) =>
    withDocument(workspace.open(path), async (document) => {
      const refused = await documents.reload(document, actor);
      return isRefusal(refused) ? refused : documents.info(document);
    }),

  "doc.diff": ({ workspace }, _requester, { path, from, to }) =>
    withDocument(workspace.open(path), (document) => wireDiff(workspace.workers, document, from, to)),

  "doc.committed": ({ workspace }, { place }, { path }) =>
    withDocument(workspace.open(path), async (document) => {
      const committed = await workspace.committed(document);
      const text = committed?.content?.text;
      if (text !== undefined && text.bytes > FREE_ANSWER_BYTES) await place.reserve(text.bytes);
      return {
        path: document.path,
        commit: committed?.commit ?? null,
        text: text === undefined ? null : text.toString(),
      };
    }),

  "mirror.resume": async ({ workspace, lanes }) => ({
    deleted: (await workspace.resume()) + (await lanes.resume()),
  }),
};

function causeOf(message: string | undefined): Cause {
  return message === undefined ? {} : { message };
}

/** Proposes a change of a file that its author may not make. */
async function proposedFile(
  proposals: Proposals,
  actor: Actor,
  change: FileChange,
  reasoning: string | undefined,
): Promise<Outcome<{ readonly path: string; readonly proposal: string }>> {
  const made = await proposals.createOfFiles(actor, { files: [change], reasoning });
  if (isRefused(made)) return made.refused[0]!.refusal;
  return { path: made.proposal.path, proposal: made.proposal.id };
}

/** The bytes of a position in an answer, with its comma. */
const POSITION_BYTES = 9;

/** Opens the document to read. A read of a long text first waits for room for its answer. */
async function roomFor(
  service: GuardedService,
  { place }: RequestContext,
  request: Params<"doc.read">,
): Promise<Outcome<Document>> {
  const document = await opening(service, request);
  if (isRefusal(document)) return document;
  const { text } = document;
  const part = request.lines !== undefined || request.range !== undefined;
  const bytes = (part ? 0 : text.bytes) + (request.lineOffsets ? POSITION_BYTES * text.lines : 0);
  if (bytes <= FREE_ANSWER_BYTES) return document;
  await place.reserve(bytes);
  return opening(service, request);
}

/** Opens a document; a version of it is readable even while it has no file. */
function opening(
  { workspace }: GuardedService,
  { path, version }: Params<"doc.read">,
): Promise<Outcome<Document>> {
  return olderVersion(version) === undefined ? workspace.open(path) : workspace.opened(path);
}

async function read(
  { history, workspace }: GuardedService,
  document: Document,
  { actor, unit }: Requester,
  request: Params<"doc.read">,
): Promise<Outcome<Result<"doc.read">>> {
  const older = olderVersion(request.version);
  const version = older ?? document.version;
  const text = documents.versionText(document, version);
  if (isRefusal(text)) return text;
  if (older !== undefined && request.since !== undefined)
    return new Refusal("INVALID_ARGUMENT", "`since` lists changes up to the newest version; omit `version`");
  const part = await partOf(workspace.workers, document.path, text, request, unit);
  if (isRefusal(part)) return part;
  const lineOffsets = request.lineOffsets && (await lineStartsOutwards(text, unit));
  // Both belong to the same state of the document: nothing awaits between them.
  const [info, since] = await Promise.all([
    documents.infoAt(document, version, text),
    request.since === undefined ? undefined : history.since(document, request.since),
  ]);
  if (isRefusal(since)) return since;
  if (actor.seen !== undefined && !request.unseen) noteRead(actor.seen, info, part.shown, since);
  return {
    ...info,
    text: part.text,
    ...(lineOffsets && { lineOffsets }),
    ...(request.selectionHash && { selection_hash: digestText(part.text) }),
    ...(since && { since: sinceOutwards(since, unit) }),
  };
}

/** Notes the text that a session has seen by a read: the part, and the changes since a version. */
function noteRead(
  seen: SeenDocuments,
  { docId, version, chars }: documents.DocumentInfo,
  shown: Part["shown"],
  since: ChangesSince | undefined,
): void {
  if (since !== undefined) seen.wasTold(docId, { previous: since.version, version, splices: since.splices });
  if (shown === "text") seen.sawText(docId, version);
  else if (shown === "view") seen.sawView(docId, version);
  else if (shown[0] < shown[1]) seen.sawRange(docId, version, shown, chars);
}

function sinceOutwards(
  { base, ...since }: ChangesSince,
  unit: Requester["unit"],
): NonNullable<Result<"doc.read">["since"]> {
  const [oldest] = since.changes;
  return {
    ...since,
    ...(since.more && oldest !== undefined && { before: oldest.changeId }),
    splices: [...splicesOutwards(since.splices, base, unit)],
  };
}

/** A text that an answer shows, and its place in the document. */
interface Part {
  readonly text: string;
  readonly shown: "text" | "view" | Range;
}

/** Returns the part of a text, or its view, that a request asks for. */
async function partOf(
  workers: TokenWorkers,
  path: string,
  text: Text,
  request: Params<"doc.read">,
  unit: Requester["unit"],
): Promise<Outcome<Part>> {
  const { lines, range } = request;
  if (lines !== undefined && range !== undefined)
    return new Refusal("INVALID_ARGUMENT", "give either lines or range, not both");
  if (request.view === "markdown") {
    const view = await viewed(workers, path, text, request);
    return isRefusal(view) ? view : { text: view, shown: "view" };
  }
  const part = lines ? lineRange(text, lines) : range ? charRange(text, range, unit) : undefined;
  if (part === undefined) return { text: text.toString(), shown: "text" };
  if (isRefusal(part)) return part;
  const [from, to] = part;
  return { text: text.slice(from, to), shown: from === 0 && to === text.chars ? "text" : part };
}

async function viewed(
  workers: TokenWorkers,
  path: string,
  text: Text,
  { lines, range, lineOffsets }: Params<"doc.read">,
): Promise<Outcome<string>> {
  if (lines !== undefined || range !== undefined || lineOffsets)
    return new Refusal(
      "INVALID_ARGUMENT",
      "lines, range and lineOffsets apply to the text, not to its Markdown view",
      {
        suggestion: "Read the whole view, or omit `view`.",
      },
    );
  return workers.offloads(structureCost(text))
    ? workers.run("view", path, text.toString())
    : viewOf(path, text);
}

function lineRange(text: Text, lines: readonly [number, number]): Outcome<Range> {
  const refused = linesRefusal(lines, text.lines);
  if (refused !== undefined) return refused;
  const [from, to] = lines;
  if (text.chars === 0) return [0, 0];
  return [text.lineStart(from), to > text.breaks ? text.chars : text.lineStart(to + 1)];
}

function charRange(
  text: Text,
  [from, to]: readonly [number, number],
  unit: Requester["unit"],
): Outcome<Range> {
  const range = rangeIn(text, { from, to }, unit);
  return isRefusal(range) ? range : [range.from, range.to];
}
