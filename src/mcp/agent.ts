import type { ShownVersions } from "../client/approve-shown.ts";
import { RefusedError } from "../client/errors.ts";
import { newOpId } from "../client/repeats.ts";
import type { Params, Result } from "../protocol/schemas/schemas.ts";
import type { Answer } from "./answer.ts";
import { type ChangeList, type EditReport, hunksOf, namesOfAuthors, warnings } from "./answer-text.ts";
import type { Caller } from "./caller.ts";
import { ToolFailure } from "./tool-failure.ts";

type EditMethod = "edit.replace" | "edit.patch" | "edit.write" | "edit.set";
type EditAnswer = Result<EditMethod>;
type SeenDocument = Result<"seen.list">["docs"][number];

/** A change or a batch, as the method `undo` names it; the method refuses both together. */
interface UndoTarget {
  readonly changeId?: string;
  readonly batchId?: string;
}

/** Number of its own edits that a session remembers for `undo` without an id. */
const MOST_UNDO_TARGETS = 200;
/** Number of proposals whose shown versions a session remembers. */
const MOST_PROPOSALS = 200;

/** A thread that a session has taken. */
interface Answering {
  readonly thread: string;
  readonly messageId: string;
  readonly leaseId: string;
}

function answerTo({ path, version, changeId, proposal }: EditAnswer, report: string): Answer {
  const ids = { ...(changeId !== null && { changeId }), ...(proposal !== undefined && { proposal }) };
  return { text: report, data: { path, version, ...ids, report } };
}

/** One MCP session at work: its edits, and the changes of others that it has not seen yet. */
export class Agent {
  readonly caller: Caller;
  /** The author's name of its edits. */
  readonly name: string;
  /** The thread that the session answers: its edits become part of the answer. */
  answering: Answering | undefined;
  /**
   * True if another client may have the same token and name, so that the versions that this one has read are uncertain.
   */
  readonly namesVersions: boolean;
  #undoTargets: readonly UndoTarget[] = [];
  readonly #shownProposals = new Map<string, ShownVersions>();

  constructor(caller: Caller, name: string, namesVersions = false) {
    this.caller = caller;
    this.name = name;
    this.namesVersions = namesVersions;
  }

  /** The session's newest edit that it has not undone. */
  get newestEdit(): UndoTarget | undefined {
    return this.#undoTargets.at(-1);
  }

  /** The ids of the message that the session's edits answer, as requests name them. */
  get answeredMessage(): Pick<Answering, "thread" | "messageId"> | undefined {
    if (this.answering === undefined) return undefined;
    const { thread, messageId } = this.answering;
    return { thread, messageId };
  }

  /** Edits a document from the text that the session has seen, and returns a report of the result. */
  async edit<M extends EditMethod>(method: M, params: Params<M>): Promise<Answer> {
    const edit = await this.#send(method, params);
    return answerTo(edit, await this.report(edit));
  }

  /** Refuses an edit by position without a version, if another client's read may have taken the place of this one's. */
  async demandVersion(path: string, version: string | undefined): Promise<void> {
    if (!this.namesVersions || version !== undefined) return;
    const now = await this.caller.request("doc.open", { path }).catch((error: unknown) => {
      if (error instanceof RefusedError) return undefined; // the edit itself is refused, or creates the document
      throw error;
    });
    if (now !== undefined)
      throw new ToolFailure(
        `VERSION_REQUIRED: ${now.path}: pass \`version\`, the version of the read that your text was made from.`,
      );
  }

  /** Replaces a document's whole text, from the whole text that the session saw last. */
  async write(params: Params<"edit.write">): Promise<Answer> {
    await this.demandVersion(params.path, params.version);
    const edited = await this.#send("edit.write", params);
    const report = await this.report(edited);
    if (edited.proposal !== undefined || !edited.merged) return answerTo(edited, report);
    const difference = await this.#differenceFrom(edited.path, params.text);
    return answerTo(edited, difference === "" ? report : `${report}\n${difference}`);
  }

  /** Returns the versions of a document that the session has seen; undefined without any. */
  async seen(path: string): Promise<SeenDocument | undefined> {
    return (await this.caller.request("seen.list", { path })).docs[0];
  }

  /** Returns the changes of an existing document since a version; none if the history no longer holds that version. */
  async since(path: string, version: string): Promise<ChangeList> {
    try {
      return await this.sinceStored(path, version);
    } catch (error) {
      if (error instanceof RefusedError && error.code === "NOT_FOUND") return { changes: [], more: true };
      throw error;
    }
  }

  /** As `since`. @throws RefusedError for a version that the history does not hold. */
  async sinceStored(path: string, version: string): Promise<ChangeList> {
    const read = { path, range: [0, 0] as [number, number], since: version, unseen: true };
    const { since } = await this.caller.request("doc.read", read);
    return since ?? { changes: [], more: true };
  }

  /** Undoes a change or a batch of any author. */
  async undo(target: UndoTarget, message: string | undefined): Promise<string> {
    const undone = await this.caller.request("undo", {
      ...target,
      opId: newOpId(),
      ...(message !== undefined && { message }),
    });
    const id = JSON.stringify(target);
    this.#undoTargets = this.#undoTargets.filter((one) => JSON.stringify(one) !== id);
    const reports: string[] = [];
    for (const file of undone.files ?? [undone]) reports.push(await this.report(file));
    return reports.join("\n");
  }

  /** Returns the difference of two versions; "" if the history no longer holds one of them. */
  async hunks(path: string, from: string, to: string): Promise<string> {
    if (from === to) return "";
    try {
      return hunksOf((await this.caller.request("doc.diff", { path, from, to })).diff);
    } catch (error) {
      if (error instanceof RefusedError && error.code === "NOT_FOUND") return "";
      throw error;
    }
  }

  /** Returns sentences about saves that the agent made with its own tools; none if they cannot be asked for. */
  async news(): Promise<readonly string[]> {
    try {
      return (await this.caller.request("claim.news", {})).news;
    } catch {
      return []; // the tool's answer counts
    }
  }

  /** Remembers an edit of this session for `undo`. */
  remember(target: UndoTarget): void {
    this.#undoTargets = [...this.#undoTargets, target].slice(-MOST_UNDO_TARGETS);
  }

  /** Remembers the versions at which the session was shown the hunks of a proposal. */
  rememberProposal(id: string, versions: ShownVersions): void {
    this.#shownProposals.delete(id);
    this.#shownProposals.set(id, versions);
    const [oldest] = this.#shownProposals.keys();
    if (this.#shownProposals.size > MOST_PROPOSALS) this.#shownProposals.delete(oldest!);
  }

  /** Returns the versions at which the session was shown a proposal; undefined if another client may have seen it. */
  shownProposal(id: string): ShownVersions | undefined {
    return this.namesVersions ? undefined : this.#shownProposals.get(id);
  }

  /** Remembers for `undo` what this session just did to a document's file. */
  async rememberFile(path: string, kind: "create" | "delete" | "rename"): Promise<void> {
    const { changes } = await this.caller.request("history.list", { path, limit: 10 });
    const own = changes.find((change) => change.kind === kind);
    if (own !== undefined) this.remember({ changeId: own.changeId });
  }

  async #send<M extends EditMethod>(method: M, params: Params<M>): Promise<EditAnswer> {
    const edited: EditAnswer = await this.caller.request(method, {
      ...params,
      ...this.answeredMessage,
      opId: newOpId(),
    });
    if (edited.changeId !== null) this.remember({ changeId: edited.changeId });
    return edited;
  }

  /** Reports an own edit, and the changes of others since the version that it was made from. */
  async report({ base, ...edited }: EditReport): Promise<string> {
    const { path, version, summary, changeId } = edited;
    const parts = [`${path}: ${summary}`];
    if (changeId !== null && base !== undefined) {
      const { changes, more } = await this.since(path, base);
      const own = changes.findIndex((change) => change.changeId === changeId);
      const before = changes[own]?.previous ?? base;
      parts.push(await this.hunks(path, before, version));
      const others = changes.slice(0, Math.max(own, 0));
      if (others.length > 0) {
        const theirs = await this.hunks(path, base, before);
        const shown = theirs === "" ? ", which left no difference" : `:\n${theirs}`;
        const names = namesOfAuthors({ changes: others, more });
        parts.push(`Merged with the changes of ${names} since version ${base}${shown}`);
      }
    }
    parts.push(...warnings(edited));
    return parts.filter((part) => part !== "").join("\n");
  }

  /** Returns how the document differs from the text that this session wrote; "" if it does not. */
  async #differenceFrom(path: string, text: string): Promise<string> {
    const { text: now } = await this.caller.request("doc.read", { path, unseen: true });
    if (now === text) return "";
    const { diff } = await this.caller.request("diff.build", { original: text, updated: now });
    return `The document also contains changes that others made since you read it. Compared with your text:\n${hunksOf(diff)}`;
  }
}
