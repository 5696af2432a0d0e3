import type { Client } from "../../client/client.ts";
import type { NotificationParams } from "../../protocol/schemas/schemas.ts";
import type { LeftAnswer, LeftAnswers } from "../../state/left-answers.ts";
import type { Log } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { PutBack } from "./put-back.ts";

type Change = NotificationParams<"doc.changed">;

/** A text that a tool of the agent replaced in a file: the whole text or a part of it. */
export interface Replaced {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** The time in which saves may follow the end of a tool, in milliseconds. */
const SETTLE_MS = 1_500;
/** The newest changes of a file among which the agent's is looked for. */
const MOST_LISTED = 20;

interface SavesOptions {
  /**
   * A connection with the owner's token: it claims the saves of the agent, and puts back changes beyond the agent's
   * rights.
   */
  readonly keeper: Client;
  readonly name: string;
  /** True if the agent's token is not the owner's. */
  readonly restricted: boolean;
  /** The identity under which a lane takes in the agent's writes: then this claims no save and puts none back. */
  readonly lane: string | undefined;
  /** The answers under way in files, which a restricted agent's saves outlive there until they are proposed. */
  readonly left: LeftAnswers;
  readonly log: Log;
}

/**
 * Claims the files that an agent saves by itself while it answers. Puts back changes that its token does not allow;
 * they become a proposal, which the answer names.
 */
export class Saves {
  readonly #options: SavesOptions;
  readonly #claims = new Map<string, Promise<string | undefined>>();
  readonly #putBack: PutBack;
  readonly #listening: readonly (() => void)[];
  #turn: Turn | undefined;
  #underWay: LeftAnswer | undefined;
  #work: Promise<void> = Promise.resolve();
  #claimed = false;
  /** Saves during the answer that no claim covered, and texts that the agent's tools report as replaced. */
  #unclaimed: Change[] = [];
  /** Saves that could not be put back at once, as where the agent deleted or renamed their file meanwhile. */
  #unsettled: Change[] = [];
  #replaced: Replaced[] = [];

  private constructor(options: SavesOptions) {
    this.#options = options;
    const { keeper, log } = options;
    const putBack = new PutBack(keeper, log);
    this.#putBack = putBack;
    this.#listening = [
      keeper.on("doc.changed", (change) => this.#saved(change)),
      keeper.on("doc.created", ({ path, docId, author }) =>
        this.#moved("create", path, author, (turn) => putBack.creation(turn, path, docId)),
      ),
      keeper.on("doc.deleted", ({ path, author }) =>
        this.#moved("delete", path, author, (turn) => putBack.deletion(turn, path)),
      ),
      keeper.on("doc.renamed", ({ path, to, author }) =>
        this.#moved("rename", to, author, (turn) => putBack.renaming(turn, path, to)),
      ),
    ];
  }

  /** Subscribes to the changes of all documents. */
  static async watching(options: SavesOptions): Promise<Saves> {
    const saves = new Saves(options);
    await options.keeper.subscribe({ pattern: "**" });
    return saves;
  }

  begin(turn: Turn): void {
    const { name, restricted, left } = this.#options;
    this.#underWay = { name, ...turn.answers, since: new Date().toISOString() };
    if (restricted) left.add(this.#underWay);
    this.#turn = turn;
    this.#claimed = false;
    this.#unclaimed = [];
    this.#unsettled = [];
    this.#replaced = [];
    this.#putBack.begin();
  }

  /**
   * Credits the agent with a save that came before its claim: on a busy machine an agent may save before its message is
   * read.
   */
  replaced(...texts: readonly Replaced[]): void {
    this.#replaced.push(...texts);
    const late = this.#unclaimed.filter((change) => texts.some((text) => isSaveOf(change, text)));
    this.#unclaimed = this.#unclaimed.filter((change) => !late.includes(change));
    for (const change of late) this.#take(change);
  }

  /** Claims the saves of a tool call from now on: of a file, or of any file. In a lane they need no claim. */
  open(call: string, path: string | undefined): void {
    const key = JSON.stringify([call, path]);
    const { keeper, name, lane, log } = this.#options;
    if (this.#claims.has(key) || this.#turn === undefined) return;
    this.#claimed = true; // the tool may save, and the end of the turn waits for the save
    if (lane !== undefined) return;
    const claim = {
      agent: name,
      session: sessionOf(this.#turn.thread),
      ...(path !== undefined && { path }),
    };
    const opened = keeper.claim.open(claim).then(
      ({ claimId }) => claimId,
      (error: Error) => {
        log("claim.refused", { reason: error.message });
        return undefined;
      },
    );
    this.#claims.set(key, opened);
  }

  /** Ends the claims of a tool call. */
  close(call: string): void {
    for (const [key, opened] of this.#claims)
      if ((JSON.parse(key) as [string])[0] === call) {
        this.#claims.delete(key);
        void opened.then((claimId) => this.#closeClaim(claimId));
      }
  }

  /**
   * Ends an answer: closes its claims, and resolves once the daemon has taken in its saves and proposed the changes
   * that were put back.
   */
  async end(): Promise<void> {
    if (this.#claimed) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const left = [...this.#claims.values()];
    this.#claims.clear();
    for (const opened of left) await this.#closeClaim(await opened);
    const { keeper, name, lane, log } = this.#options;
    if (this.#claimed && lane === undefined && this.#turn !== undefined)
      await takenIn(keeper, name, this.#turn.thread).catch((error: Error) =>
        log("saves.not_awaited", { reason: error.message }),
      );
    await this.#work;
    for (const change of this.#unsettled.splice(0)) this.#take(change, true);
    await this.#work;
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined || !this.#options.restricted) return;
    await this.#putBack.propose(turn);
    this.#options.left.remove(this.#underWay!);
  }

  stop(): void {
    for (const end of this.#listening) end();
  }

  async #closeClaim(claimId: string | undefined): Promise<void> {
    if (claimId === undefined) return;
    const { keeper, log } = this.#options;
    await keeper.claim
      .close({ claimId })
      .catch((error: Error) => log("claim.not_closed", { reason: error.message }));
  }

  /** The identity of the agent as the author of saves. */
  get #agent(): string {
    const { keeper, lane } = this.#options;
    return lane ?? keeper.hello.agent.id;
  }

  /** Notes a save, or puts it back. */
  #saved(change: Change): void {
    const turn = this.#turn;
    if (turn === undefined || change.undoes !== undefined || change.answers !== undefined) return;
    if (change.agent === this.#agent) this.#take(change);
    else if (change.author !== "disk" || this.#options.lane !== undefined) return;
    else if (this.#replaced.some((text) => isSaveOf(change, text))) this.#take(change);
    else this.#unclaimed.push(change);
  }

  #take(change: Change, isLast = false): void {
    const { changeId, path } = change;
    this.#inTurn(path, async (turn) => {
      try {
        await this.#settle(turn, changeId, () => this.#putBack.edit(turn, change));
      } catch (error) {
        if (isLast) throw error;
        this.#unsettled.push(change);
      }
    });
  }

  /** Notes a creation, deletion or rename of a file by the agent, or puts it back. */
  #moved(
    kind: "create" | "delete" | "rename",
    path: string,
    author: string,
    back: (turn: Turn) => Promise<boolean>,
  ): void {
    const { keeper, name } = this.#options;
    if (author !== name || !this.#claimed || this.#putBack.isOwn(path)) return;
    this.#inTurn(path, async (turn) => {
      const { changes } = await keeper.history.list({ path, limit: MOST_LISTED });
      const change = changes.find((one) => one.kind === kind);
      // The daemon has allowed operations of the agent with its own token.
      if (change?.agent === this.#agent && change.answers === undefined)
        await this.#settle(turn, change.changeId, () => back(turn));
    });
  }

  /** Puts back a change that the agent's token does not allow; otherwise notes it. */
  async #settle(turn: Turn, changeId: string, back: () => Promise<boolean>): Promise<void> {
    if (this.#options.restricted && (await back())) return;
    if (turn.changeIds.includes(changeId)) return;
    turn.made++;
    turn.changeIds.push(changeId);
  }

  /** Runs work on the agent's operation on a file, after the work on its earlier operations. */
  #inTurn(path: string, work: (turn: Turn) => Promise<void>): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#work = this.#work
      .then(() => work(turn))
      .catch(({ message: reason }: Error) => {
        const { restricted, log } = this.#options;
        log("save.not_settled", { path, reason });
        if (restricted)
          turn.note(`The agent changed ${path} itself, and this could not be put back: ${reason}.`);
      });
  }
}

/**
 * Returns true if a change inserts only text of a tool's replacement, and changes the file's length by as much as the
 * tool.
 */
function isSaveOf({ path, splices }: Change, { path: file, oldText, newText }: Replaced): boolean {
  const grown = splices.reduce((sum, { from, to, insert }) => sum + lengthOf(insert) - (to - from), 0);
  return (
    path === file &&
    splices.length > 0 &&
    splices.every(({ insert }) => newText.includes(insert)) &&
    grown === lengthOf(newText) - lengthOf(oldText)
  );
}

/** Counts the characters of a text, as positions do. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** Resolves once the daemon has taken in what an agent did in a thread until now: a busy machine tells of some of it late. */
export async function takenIn(keeper: Client, agent: string, thread: string): Promise<void> {
  await keeper.claim.close({ agent, session: sessionOf(thread), wait: true, quiet: true });
}

/** Returns the session of the claims for an answer in a thread; the history names it for the agent's own saves. */
export function sessionOf(thread: string): string {
  return thread.slice(0, 100);
}
