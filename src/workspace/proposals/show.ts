import { type NumberedHunk, numberedDiff } from "../../text/diff/numbered.ts";
import type { ProposalStatus } from "../events/events.ts";
import { renameDiff } from "../folder/file-changes.ts";
import type { Version } from "../versions/version.ts";
import { hunkNumbersOf } from "./hunks.ts";
import type { PartNow } from "./part-now.ts";
import { type Approval, openParts, type Part, type Proposal } from "./proposal.ts";
import { type Conflict, conflictsOf, type RebasedProposal } from "./rebase.ts";
import { supersededPart } from "./refusals.ts";

/** The change of one file by a proposal, as a reviewer sees it. */
export interface ShownPart extends Omit<Part, "splices"> {
  readonly status: ProposalStatus;
  /**
   * The diff from the newest text to the text after an approval; of a closed part, the diff that it made or would have
   * made.
   */
  readonly diff: string;
  /** The diff's hunks, by the numbers that approving takes; none unless the part is a pending edit. */
  readonly hunks: readonly NumberedHunk[];
  /** The version that the diff is against; null unless the part is pending. */
  readonly version: Version | null;
  readonly stale: boolean;
  readonly conflicts: readonly Conflict[];
  /** The reason why the part cannot be approved at present. */
  readonly problem: string | null;
}

/** A proposal as a reviewer sees it. The fields of a part are the fields of its only file, or describe all files. */
export interface ShownProposal
  extends Omit<Proposal, "parts" | "approvals" | "opId" | "asked">,
    Omit<ShownPart, "status"> {
  /** The files of a proposal of several. */
  readonly files?: readonly ShownPart[];
  readonly appliedChange: string | null;
  /** The batch of the last approval, if it made several changes. */
  readonly appliedBatch: string | null;
  readonly approvals: readonly Omit<Approval, "left">[];
}

/**
 * Returns a proposal for a reviewer; `now` has its open parts, and `pathOf` returns the present path of a part. Hunks
 * have `context` unchanged lines around their changes.
 */
export function shownOf(
  { parts, approvals, opId: _opId, asked: _asked, ...proposal }: Proposal,
  pathOf: (part: Part) => string,
  now: readonly PartNow[],
  context?: number,
): ShownProposal {
  const open = new Map(now.map((part) => [part.index, part]));
  const left = new Set(openParts({ parts, approvals }).map(({ index }) => index));
  const files = parts.map((part, i): ShownPart => {
    const at = open.get(i);
    if (at !== undefined) return openPart(at, context);
    const status = left.has(i) ? proposal.status : "approved";
    return { ...withoutSplices(part), path: pathOf(part), status, ...NOTHING_OPEN };
  });
  const last = approvals.at(-1);
  const given = approvals.map(({ left: _left, ...approval }) => approval);
  const reviewed = {
    appliedChange: last?.changes[0]?.change ?? null,
    appliedBatch: last?.batch ?? null,
    approvals: given,
  };
  const [{ status: _status, ...first }] = files as [ShownPart];
  if (files.length === 1) return { ...proposal, ...first, ...reviewed };
  return { ...proposal, ...first, ...summaryOf(files), ...reviewed, files };
}

const NOTHING_OPEN = { hunks: [], version: null, stale: false, conflicts: [], problem: null } as const;

function openPart(now: PartNow, context: number | undefined): ShownPart {
  const { part, path, document, rebased, texts, refusal, superseded } = now;
  const common = { ...withoutSplices(part), path, ...NOTHING_OPEN, status: "pending" } as const;
  if (superseded !== undefined)
    return { ...common, status: "superseded", problem: supersededPart(superseded) };
  const problem = refusal?.message ?? null;
  if (rebased !== undefined) {
    const { version, stale } = rebased;
    const { diff, hunks } = diffOf(rebased, path, context);
    const numbers = hunkNumbersOf(document!, now, rebased, context);
    return {
      ...common,
      diff,
      hunks: numbers === undefined ? hunks : hunks.map((hunk, i) => ({ ...hunk, number: numbers[i]! })),
      version,
      stale,
      conflicts: conflictsOf(rebased),
      problem,
    };
  }
  const version = document?.version ?? null;
  const stale = part.base !== "" && version !== null && version !== part.base;
  if (part.to !== undefined) return { ...common, diff: renameDiff(path, part.to), version, stale, problem };
  return { ...common, ...(texts && { diff: fileDiff(texts, path) }), version, stale, problem };
}

function withoutSplices({ splices: _splices, ...part }: Part): Omit<Part, "splices"> {
  return part;
}

/** Returns the fields that describe all files of a proposal. */
function summaryOf(files: readonly ShownPart[]) {
  const problems = files.flatMap(({ path, problem, conflicts }) => {
    if (problem !== null) return `${path}: ${problem}`;
    return conflicts.length === 0 ? [] : `${path}: later edits changed the same words`;
  });
  return {
    ...NOTHING_OPEN,
    currentValue: "",
    proposedValue: "",
    diff: files.map(({ diff }) => diff).join(""),
    stale: files.some(({ stale }) => stale),
    problem: problems.length === 0 ? null : problems.join("; "),
  };
}

/** Returns the diff of a creation or a deletion. */
export function fileDiff({ before, after }: NonNullable<PartNow["texts"]>, path: string): string {
  const isCreated = before.chars === 0;
  const from = isCreated ? "/dev/null" : `a/${path}`;
  const to = isCreated ? `b/${path}` : "/dev/null";
  if (before.equals(after)) return `--- ${from}\n+++ ${to}\n`;
  return numberedDiff(before.toString(), after.toString(), { from, to }).diff;
}

/** Returns the diff from the newest text to the text after an approval. */
export function diffOf(
  { now, splices }: Pick<RebasedProposal, "now" | "splices">,
  path: string,
  context?: number,
): { readonly diff: string; readonly hunks: readonly NumberedHunk[] } {
  const names = { from: `a/${path}`, to: `b/${path}`, context };
  return numberedDiff(now.toString(), now.splice(splices).toString(), names);
}

/** True for a pending or just superseded proposal that cannot be approved as it is. */
export function isObsolete({ status, problem, conflicts }: ShownProposal): boolean {
  return status === "superseded" || problem !== null || conflicts.length > 0;
}
