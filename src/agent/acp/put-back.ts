import type { Client } from "../../client/client.ts";
import { RefusedError } from "../../client/errors.ts";
import type { ProposalFile } from "../../client/proposal-files.ts";
import type { Params, Result } from "../../protocol/schemas/schemas.ts";
import { MOST_FILES } from "../../work/bounds.ts";
import type { Log } from "../answerer.ts";
import { levelOf, mayWrite } from "../levels.ts";
import type { Turn } from "../turn.ts";
import { unlessRefused } from "../unless-refused.ts";

type ProposedFile = NonNullable<Params<"proposal.create">["files"]>[number];

type HistoryChange = Result<"history.list">["changes"][number];
type Edit = Pick<HistoryChange, "changeId" | "docId" | "path" | "version"> & { readonly previous: string };

/** An answer, under way or left: its connection has the agent's token, and its changes name its message. */
export interface Answered extends Pick<Turn, "client" | "made" | "note"> {
  readonly answers: Partial<Turn["answers"]>;
}

/** An agent's own operation on a file, as a part of a proposal and in words. */
interface Kept {
  readonly file: ProposedFile;
  /** The operation in words, such as `deleted notes.md`. */
  readonly deed: string;
}

/** The reason of an undo that puts back a save. */
export const PUT_BACK = "put back: the agent may only propose";

/**
 * Puts back an agent's own operations on files that it may only propose. The end of its answer makes one proposal of
 * them. Each method that puts back returns false, and changes nothing, where the agent's token allows the change. With
 * `isBack` an earlier process has put it back, and the method keeps it for the proposal only.
 */
export class PutBack {
  /** A connection with the owner's token. */
  readonly #keeper: Client;
  readonly #log: Log;
  /** The files whose creation, deletion or renaming is this process's own. */
  readonly #own = new Set<string>();
  /** The documents whose creation this put back. */
  readonly #uncreated = new Set<string>();
  /** The proposals to make; each names a file once at most. */
  #kept: Kept[][] = [];

  constructor(keeper: Client, log: Log) {
    this.#keeper = keeper;
    this.#log = log;
  }

  /** Begins an answer. */
  begin(): void {
    this.#own.clear();
    this.#uncreated.clear();
    this.#kept = [];
  }

  /** Returns true, once, for a file that this process itself has created, deleted or renamed. */
  isOwn(path: string): boolean {
    return this.#own.delete(path);
  }

  async edit(turn: Answered, change: Edit, isBack = false): Promise<boolean> {
    const { changeId, docId, path, previous: from, version: to } = change;
    const keeper = this.#keeper;
    const isGone = this.#uncreated.has(docId) && (await levelOf(keeper, path)) === undefined;
    if (isGone) return true; // the part of the creation has this text
    if (!isBack && mayWrite(await levelOf(turn.client, path))) return false;
    const { diff: patch } = await keeper.history.diff({ path, from, to });
    if (!isBack) await keeper.undo({ changeId, message: PUT_BACK });
    this.#keep({ path, operation: "edit", patch, version: from }, `saved ${path}`);
    return true;
  }

  async creation(turn: Answered, path: string, docId: string, isBack = false): Promise<boolean> {
    if (!isBack && mayWrite(await levelOf(turn.client, path))) return false;
    if (!isBack) {
      this.#own.add(path);
      await this.#keeper.doc.delete({ path });
    }
    this.#uncreated.add(docId);
    // This reads the text only after the deletion, because the agent may have written again.
    const { changes } = await this.#keeper.history.list({ path, limit: 1 });
    const { text } = await this.#keeper.doc.read({ path, version: changes[0]!.version, unseen: true });
    this.#keep({ path, operation: "create", text }, `created ${path}`);
    return true;
  }

  async deletion(turn: Answered, path: string, isBack = false): Promise<boolean> {
    if (!isBack) {
      this.#own.add(path);
      await this.#keeper.doc.restore({ path });
    }
    // Only a document with a file has known rights.
    if (!isBack && mayWrite(await levelOf(turn.client, path))) {
      this.#own.add(path);
      await turn.client.doc.delete({ path, ...turn.answers });
      turn.made++;
    } else this.#keep({ path, operation: "delete" }, `deleted ${path}`);
    return true;
  }

  async renaming(turn: Answered, path: string, to: string, isBack = false): Promise<boolean> {
    const mayMake = !isBack && mayWrite(await levelOf(turn.client, to));
    if (!isBack) {
      this.#own.add(path);
      await this.#keeper.doc.rename({ path: to, to: path });
    }
    if (mayMake && mayWrite(await levelOf(turn.client, path))) {
      this.#own.add(to);
      await turn.client.doc.rename({ path, to, ...turn.answers });
      turn.made++;
    } else this.#keep({ path, operation: "rename", to }, `renamed ${path} to ${to}`);
    return true;
  }

  /**
   * Proposes the changes that were put back, and adds a note to the thread. Leaves out those in `proposed`, the files of
   * earlier proposals.
   */
  async propose(turn: Answered, proposed: readonly ProposalFile[] = []): Promise<void> {
    if (this.#kept.length === 0) return;
    const answers = await answersOf(turn);
    for (const all of this.#kept.splice(0)) {
      const kept = all.filter(({ file }) => !proposed.some((one) => isSame(file, one)));
      if (kept.length === 0) continue;
      const why = await this.#proposed(turn, answers, kept);
      if (why === undefined) continue;
      if (kept.length === 1) this.#lost(turn, kept[0]!, why);
      else
        for (const one of kept) {
          const refused = await this.#proposed(turn, answers, [one]);
          if (refused !== undefined) this.#lost(turn, one, refused);
        }
    }
  }

  #keep(file: ProposedFile, deed: string): void {
    const names = [file.path, file.to];
    const has = ({ file: { path, to } }: Kept) =>
      names.includes(path) || (to !== undefined && names.includes(to));
    const last = this.#kept.at(-1);
    if (last === undefined || last.length >= MOST_FILES || last.some(has)) this.#kept.push([{ file, deed }]);
    else last.push({ file, deed });
  }

  /** Makes a proposal; returns the reason of a refusal. */
  async #proposed(
    turn: Answered,
    answers: Answered["answers"],
    kept: readonly Kept[],
  ): Promise<string | undefined> {
    try {
      const files = kept.map(({ file }) => file);
      const what = `The agent ${listed(kept.map(({ deed }) => deed))} itself.`;
      const reasoning = what.slice(0, MOST_REASONING).toWellFormed();
      const { id } = await turn.client.proposal.create({ files, reasoning, ...answers });
      turn.made++;
      this.#log("saves.put_back", { files: files.length, proposal: id });
      turn.note(`${what} It may only propose, so this is proposal ${id} now.`);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedError) return error.message;
      throw error;
    }
  }

  #lost(turn: Answered, { file: { path }, deed }: Kept, reason: string): void {
    this.#log("save.not_proposed", { path, reason });
    turn.note(
      `The agent ${deed} itself. This is put back, and is no proposal: ${reason}. Look at it with: spliced history ${path}`,
    );
  }
}

/** Returns the message that a proposal names; none if its thread was deleted meanwhile. */
async function answersOf({ client, answers }: Answered): Promise<Answered["answers"]> {
  if (answers.thread === undefined) return {};
  return (await threadOf(client, answers.thread)) === undefined ? {} : answers;
}

/** Returns a thread; undefined for one that is gone, or that the agent may not see any more. */
export function threadOf(client: Client, thread: string): Promise<Result<"thread.get"> | undefined> {
  return unlessRefused(client.thread.get({ thread }));
}

/** Returns true if a proposal has this operation on a file. */
function isSame({ path, operation, version }: ProposedFile, there: ProposalFile): boolean {
  if (path !== there.path) return false;
  return operation === "edit" ? there.base === version : there.operation === operation;
}

/** The most characters of a proposal's reasoning. */
const MOST_REASONING = 10_000;

function listed(items: readonly string[]): string {
  const last = items.at(-1)!;
  return items.length === 1 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}
