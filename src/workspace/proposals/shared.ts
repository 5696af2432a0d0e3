import { carry } from "../../text/merge/carry.ts";
import { type Splice, spliceProblem } from "../../text/splice.ts";
import { Text } from "../../text/text.ts";
import {
  type CommonVersion,
  commonVersion,
  commonVersionOf,
  localVersionOf,
  MOST_GIVEN_CHARS,
} from "../document/common-version.ts";
import type { About, GivenRecord, SharedRecords, Telling } from "../document/shared-records.ts";
import type { Editor } from "../edits/editor.ts";
import type { ProposalStatus } from "../events/events.ts";
import type { Workspace } from "../folder/workspace.ts";
import { History } from "../history/history.ts";
import type { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import type { Anchored, Approval, Part, Proposal, Review } from "./proposal.ts";
import { recordsOf } from "./record.ts";
import type { ProposalRepository } from "./repository.ts";
import { keepOnce } from "./twice.ts";

/** Splices in the text of a version that other machines may lack. */
interface GivenAnchored {
  readonly base: CommonVersion;
  readonly splices: readonly Splice[];
}

interface GivenApproval extends Omit<Approval, "changes" | "left"> {
  readonly changes: readonly { readonly docId: string; readonly change: string }[];
  readonly left: readonly (GivenAnchored & { readonly part: number })[];
}

/** A proposal as all machines know it. */
export interface GivenProposal
  extends GivenRecord,
    Omit<Proposal, "id" | "parts" | "approvals" | "opId" | "asked" | "machine"> {
  readonly parts: readonly (Omit<Part, keyof Anchored> & GivenAnchored)[];
  readonly approvals: readonly GivenApproval[];
}

/**
 * The rank of each state. Each machine finds by itself that a proposal is too old or already done, so machines do not
 * share these states. An approval has the highest rank, because its changes are made.
 */
const RANKS: Readonly<Record<ProposalStatus, number>> = {
  pending: 0,
  expired: 0,
  superseded: 0,
  rejected: 1,
  approved: 2,
};

/** The proposals that machines share. It joins the decisions of several machines: every approval is valid. */
export class SharedProposals implements SharedRecords {
  readonly kind = "proposal";
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #history: History;
  readonly #repository: ProposalRepository;
  /** The order of the work on each proposal. */
  readonly #queue: KeyedQueue<string>;

  constructor(
    workspace: Workspace,
    editor: Editor,
    repository: ProposalRepository,
    queue: KeyedQueue<string>,
  ) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#history = new History(workspace);
    this.#repository = repository;
    this.#queue = queue;
  }

  *ids(): Iterable<string> {
    for (const { id } of this.#repository.heads().reverse()) yield id;
  }

  facts(id: string): object | undefined {
    const head = this.#repository.head(id);
    return head && factsOf(head);
  }

  about(id: string): About | undefined {
    const proposal = this.#repository.find(id);
    return proposal && aboutOf(proposal);
  }

  async give(id: string): Promise<GivenProposal | undefined> {
    const proposal = this.#repository.find(id);
    if (proposal === undefined) return undefined;
    const { id: _id, opId: _opId, asked: _asked, parts, approvals, status, ...rest } = proposal;
    const given: GivenProposal["parts"][number][] = [];
    // The texts of the bases share the room of one message.
    const chars = MOST_GIVEN_CHARS / (parts.length * (1 + approvals.length));
    for (const part of parts)
      given.push({ ...part, ...(await this.#given(part.docId, part, status, chars)) });
    const decided: GivenApproval[] = [];
    for (const { changes, left, ...approval } of approvals) {
      const rest: GivenApproval["left"][number][] = [];
      for (const one of left)
        rest.push({ part: one.part, ...(await this.#given(parts[one.part]!.docId, one, status, chars)) });
      decided.push({
        ...approval,
        changes: changes.map(({ docId, change }) => ({ docId, change })),
        left: rest,
      });
    }
    const shared = RANKS[status] === 0 ? "pending" : status;
    return { ...rest, ...aboutOf(proposal), status: shared, parts: given, approvals: decided };
  }

  take(id: string, given: GivenProposal | null, telling: Telling): Promise<void> {
    if (given === null) return Promise.resolve();
    return this.#queue.run([id], () => this.#take(id, given, telling));
  }

  async #take(id: string, given: GivenProposal, telling: Telling): Promise<void> {
    const known = this.#repository.find(id);
    const approvals: Approval[] = [];
    for (const approval of given.approvals) approvals.push(await this.#approval(given, approval));
    if (known === undefined) {
      const { docs: _docs, places: _places, machine = telling.machine, parts: _parts, ...rest } = given;
      const parts: Part[] = [];
      for (const part of given.parts) parts.push({ ...part, ...(await this.#taken(part.docId, part)) });
      const taken = { ...rest, ...(machine !== undefined && { machine }), id, parts, approvals } as Proposal;
      return this.#store(taken, telling);
    }
    const { joined, hasMore, wasApart } = join(known, { ...given, approvals });
    if (hasMore) telling.again("proposal", id);
    if (joined === known) return telling.store(factsOf(known));
    await this.#store(joined, telling);
    if (wasApart) this.#keepOnce(joined);
  }

  listen(changed: (id: string) => void): () => void {
    return this.#workspace.listen((event) => {
      if (event.type === "proposal") changed(event.id);
    });
  }

  /** Removes text that the proposal inserted twice, after the work on it that is under way. */
  #keepOnce(proposal: Proposal): void {
    const [workspace, editor, history] = [this.#workspace, this.#editor, this.#history];
    keepOnce({ workspace, editor, history }, proposal).catch((error: unknown) =>
      workspace.ports.report("proposal.twice", { proposal: proposal.id, reason: String(error) }),
    );
  }

  async #store(proposal: Proposal, telling: Telling): Promise<void> {
    await telling.store(factsOf(proposal), ...recordsOf(proposal));
    this.#repository.announce(proposal.id);
  }

  /** Returns splices with their base for other machines; its text is for an edit that a reviewer may still approve. */
  async #given(
    docId: string,
    { base, splices }: Anchored,
    status: ProposalStatus,
    mostChars: number,
  ): Promise<GivenAnchored> {
    const workspace = this.#workspace;
    const { store } = workspace.ports;
    const common = commonVersion(store, docId, base);
    if (docId === "" || RANKS[status] > 0) return { base: common, splices };
    const document = await workspace.openedById(docId);
    if (document === undefined || isRefusal(document)) return { base: common, splices };
    const whole = commonVersionOf(store, document, base);
    return { base: (whole.text?.length ?? 0) > mostChars ? common : whole, splices };
  }

  /** Returns splices in a text of this machine; where others changed the same words, in none that it knows. */
  async #taken(docId: string, { base, splices }: GivenAnchored): Promise<Anchored> {
    const workspace = this.#workspace;
    const unplaced = { base: base.change, splices };
    const document = docId === "" ? undefined : await workspace.openedById(docId);
    if (document === undefined || isRefusal(document)) return unplaced;
    const local = localVersionOf(document, workspace.ports.store, base);
    const version = local?.version ?? document.version;
    const seq = document.versions.find(version)?.seq;
    const text = seq === undefined ? undefined : document.versions.textAt(seq);
    const ground = local?.isSame === true ? text : base.text === undefined ? undefined : Text.of(base.text);
    if (ground === undefined || text === undefined || spliceProblem(splices, ground.chars) !== undefined)
      return unplaced;
    if (local?.isSame === true) return { base: local.version, splices };
    const carried = carry(ground, text, splices, undefined);
    return carried.overlaps.length > 0 ? unplaced : { base: version, splices: carried.splices };
  }

  async #approval(
    { parts }: GivenProposal,
    { changes, left, ...approval }: GivenApproval,
  ): Promise<Approval> {
    const { store } = this.#workspace.ports;
    const made = changes.map(({ docId, change }) => {
      const found = store.find(change);
      return { docId, change, version: found === undefined ? "" : versionOf({ seq: found.seq, id: change }) };
    });
    const rest: Approval["left"][number][] = [];
    for (const one of left)
      rest.push({ part: one.part, ...(await this.#taken(parts[one.part]?.docId ?? "", one)) });
    return { ...approval, changes: made, left: rest };
  }
}

type Decision = Review & Pick<Proposal, "status" | "approvals">;

function aboutOf({ parts }: Pick<Proposal, "parts">): About {
  const docs = [...new Set(parts.flatMap(({ docId }) => (docId === "" ? [] : docId)))];
  return { docs, places: parts.flatMap(({ docId, path, to }) => to ?? (docId === "" ? path : [])) };
}

/** Joins the decisions of two machines; returns `known` itself if the other has no further decision. */
function join(
  known: Proposal,
  given: Decision,
): { readonly joined: Proposal; readonly hasMore: boolean; readonly wasApart: boolean } {
  const ours = new Set(known.approvals.map(firstChange));
  const theirs = new Set(given.approvals.map(firstChange));
  const added = given.approvals.filter((approval) => !ours.has(firstChange(approval)));
  const isAhead = known.approvals.some((approval) => !theirs.has(firstChange(approval)));
  const difference = RANKS[given.status] - RANKS[known.status];
  const wasApart = added.length > 0 && isAhead;
  const hasMore = isAhead || difference < 0;
  const isLater = added.length > 0 && !isAhead;
  const isTheirs = difference > 0 || (difference === 0 && (isLater || isFirstRejection(given, known)));
  if (added.length === 0 && !isTheirs) return { joined: known, hasMore, wasApart };
  const { status, userId, reviewer, reviewedAt, reason, withdrawn = false } = isTheirs ? given : known;
  const all = [...known.approvals, ...added];
  if (!wasApart) {
    const review = { userId, reviewer, reviewedAt, reason, withdrawn };
    return { joined: { ...known, status, ...review, approvals: all }, hasMore, wasApart };
  }
  // In an order that is the same on all machines, and with the review of the last.
  const approvals = all.toSorted((a, b) => (firstChange(a) < firstChange(b) ? -1 : 1));
  const last = approvals.at(-1)!;
  const { userId: by, reviewer: name, reviewedAt: at } = last;
  const review = { userId: by, reviewer: name, reviewedAt: at, reason, withdrawn };
  return { joined: { ...known, status, ...review, approvals }, hasMore, wasApart };
}

/** Returns true for the one of two rejections that all machines preserve. */
function isFirstRejection(given: Decision, known: Decision): boolean {
  const orderOf = ({ reviewedAt, userId, reason }: Decision) => JSON.stringify([reviewedAt, userId, reason]);
  return given.status === "rejected" && known.status === "rejected" && orderOf(given) < orderOf(known);
}

function factsOf({
  status,
  approvals,
}: Pick<Proposal, "status"> & { approvals: readonly Pick<Approval, "changes">[] }): object {
  return { rank: RANKS[status], approvals: approvals.map(firstChange).toSorted() };
}

function firstChange({ changes }: Pick<Approval, "changes">): string {
  return changes[0]!.change;
}
