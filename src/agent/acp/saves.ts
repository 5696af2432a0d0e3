import type { Client } from "../../client/client.ts";
import type { NotificationParams } from "../../protocol/schemas.ts";
import type { Log } from "../answerer.ts";
import { levelOf, mayWrite } from "../levels.ts";
import type { Turn } from "../turn.ts";

type Change = NotificationParams<"doc.changed">;

/** A text that a tool of the agent replaced in a file: the whole text or a part of it. */
export interface Replaced {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** The time within which the daemon takes in a save, in milliseconds. */
const SETTLE_MS = 1_500;

interface SavesOptions {
  /** A connection with the owner's token: it claims the saves of the agent, and puts back what the agent may not do. */
  readonly keeper: Client;
  readonly name: string;
  /** True if the agent's token is not the owner's. */
  readonly restricted: boolean;
  /** The identity under which a lane takes in what the agent writes: then nothing is claimed or put back. */
  readonly lane: string | undefined;
  readonly log: Log;
}

/**
 * The files that an agent saves by itself while it answers. They are claimed for it. What its token does not allow is put
 * back: an edit becomes a proposal, and the answer says so.
 */
export class Saves {
  readonly #options: SavesOptions;
  readonly #claims = new Map<string, Promise<string | undefined>>();
  /** The files whose creation, deletion or renaming is this process's own. */
  readonly #own = new Set<string>();
  readonly #listening: readonly (() => void)[];
  #turn: Turn | undefined;
  #work: Promise<void> = Promise.resolve();
  #claimed = false;
  /** Saves during the answer that no claim covered, and texts that the agent's tools say they replaced. */
  #unclaimed: Change[] = [];
  #replaced: Replaced[] = [];

  private constructor(options: SavesOptions) {
    this.#options = options;
    const { keeper } = options;
    this.#listening = [
      keeper.on("doc.changed", (change) => this.#saved(change)),
      keeper.on("doc.created", ({ path, author }) =>
        this.#moved(path, author, (turn) => this.#takeBackCreation(turn, path)),
      ),
      keeper.on("doc.deleted", ({ path, author }) =>
        this.#moved(path, author, (turn) => this.#restore(turn, path)),
      ),
      keeper.on("doc.renamed", ({ path, to, author }) =>
        this.#moved(to, author, (turn) => this.#renameBack(turn, path, to)),
      ),
    ];
  }

  /** Begins to hear of the changes of all documents. */
  static async watching(options: SavesOptions): Promise<Saves> {
    const saves = new Saves(options);
    await options.keeper.subscribe({ pattern: "**" });
    return saves;
  }

  begin(turn: Turn): void {
    this.#turn = turn;
    this.#claimed = false;
    this.#unclaimed = [];
    this.#replaced = [];
  }

  /** Takes a save that came before its claim for the agent's: on a busy machine an agent saves before it is heard. */
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
    this.#claimed = true; // the tool may save: the end of the turn waits for that
    if (lane !== undefined) return;
    const claim = {
      agent: name,
      session: this.#turn.thread.slice(0, 100),
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

  /** Ends an answer: closes its claims, and resolves once the daemon has taken in its saves. */
  async end(): Promise<void> {
    if (this.#claimed) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const left = [...this.#claims.values()];
    this.#claims.clear();
    for (const opened of left) await this.#closeClaim(await opened);
    await this.#work;
    this.#turn = undefined;
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

  #take(change: Change): void {
    const { restricted } = this.#options;
    const turn = this.#turn;
    if (turn === undefined) return;
    if (restricted) this.#inTurn(turn, change.path, () => this.#check(turn, change));
    else this.#note(turn, change.changeId);
  }

  /** Notes that the agent created, deleted or renamed a file, or puts that back. */
  #moved(path: string, author: string, back: (turn: Turn) => Promise<void>): void {
    const { keeper, name, restricted } = this.#options;
    const turn = this.#turn;
    const isOurs = author === name && this.#claimed;
    if (!isOurs || turn === undefined || this.#own.delete(path)) return;
    this.#inTurn(turn, path, async () => {
      if (restricted) return back(turn);
      const { changes } = await keeper.history.list({ path, limit: 1 });
      const [change] = changes;
      if (change?.agent === this.#agent && change.answers === undefined) this.#note(turn, change.changeId);
    });
  }

  #note(turn: Turn, changeId: string): void {
    if (turn.changeIds.includes(changeId)) return;
    turn.made++;
    turn.changeIds.push(changeId);
  }

  /** Runs work on a save after the work on those before it. */
  #inTurn(turn: Turn, path: string, work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: Error) => {
      this.#options.log("save.not_put_back", { path, reason: error.message });
      turn.say(`\n\nThe agent saved ${path} itself, and this could not be put back: ${error.message}.\n\n`);
    });
  }

  /** Puts back an edit that the agent's token does not allow, and keeps it as a proposal. */
  async #check(turn: Turn, { changeId, path, previous: from, version: to }: Change): Promise<void> {
    const { keeper, log } = this.#options;
    if (mayWrite(await levelOf(turn.client, path))) return void turn.made++;
    const { diff } = await keeper.history.diff({ path, from, to });
    await keeper.undo({ changeId, message: "put back: the agent may only propose" });
    const patch = { path, operation: "patch", patch: diff, ...turn.answers } as const;
    const { id } = await turn.client.proposal.create(patch);
    turn.made++;
    log("save.put_back", { path, change: changeId, proposal: id });
    turn.say(
      `\n\nThe agent saved ${path} itself. It may only propose, so its text is proposal ${id} now.\n\n`,
    );
  }

  async #takeBackCreation(turn: Turn, path: string): Promise<void> {
    const { keeper } = this.#options;
    if (mayWrite(await levelOf(turn.client, path))) return void turn.made++;
    this.#own.add(path);
    await keeper.doc.delete({ path });
    turn.say(
      `\n\nThe agent created ${path} itself, which it may not do. The file is gone; spliced restore ${path} brings it back.\n\n`,
    );
  }

  async #restore(turn: Turn, path: string): Promise<void> {
    this.#own.add(path);
    await this.#options.keeper.doc.restore({ path });
    turn.say(`\n\nThe agent deleted ${path} itself, which it may not do. The file is back.\n\n`);
  }

  async #renameBack(turn: Turn, path: string, to: string): Promise<void> {
    this.#own.add(to);
    await this.#options.keeper.doc.rename({ path: to, to: path });
    turn.say(`\n\nThe agent renamed ${path} itself, which it may not do. The file is back.\n\n`);
  }
}

/** Returns true if a change inserts only what a tool's text has, and makes the file longer or shorter by as much. */
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
