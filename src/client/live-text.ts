import type { NotificationParams, Result } from "../protocol/schemas.ts";
import { isWellFormed, type Unit } from "../text/positions.ts";
import { normalize, type Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import { convert } from "./convert.ts";
import { Draft } from "./draft.ts";
import { LostEditError, RefusedError } from "./errors.ts";
import type { Host } from "./host.ts";
import { Listeners } from "./listeners.ts";
import { endError, type LiveChange, type LiveEnd, type LiveEvents } from "./live-events.ts";
import { findPath, isMoved, readSince, splicesTo } from "./live-read.ts";
import { newOpId } from "./repeats.ts";

type Changed = NotificationParams<"doc.changed">;

/** The edit that is under way. */
type Flight =
  | { readonly is: "none" }
  | { readonly is: "sent" }
  /** It was made, and what it came to has not been told yet. */
  | { readonly is: "answered"; readonly changeId: string };

/** Refusals of one edit that may be for what happened meanwhile; then it is refused for good. */
const MOST_TRIES = 5;

/**
 * A document that is kept the same as the daemon's while it is edited here. Own edits show at once and are sent
 * in the background, one request at a time; what others do arrives as changes, to which own edits give way. However
 * edits and connections go, what is shown comes to be the daemon's text.
 */
export class LiveText {
  readonly docId: string;
  readonly #host: Host;
  readonly #listeners = new Listeners<LiveEvents>();
  readonly #draft: Draft;
  readonly #holder: object;
  readonly #ends: readonly (() => void)[];
  #path: string;
  #version: string;
  #flight: Flight = { is: "none" };
  #tries = 0;
  /** Told of and not taken in yet, in the order of versions. */
  #queue: Changed[] = [];
  /** Whether changes were missed, and the read that makes up for it. */
  #reading: "no" | "due" | "now" | "again" = "no";
  #ended: LiveEnd | undefined;
  #settling: { resolve: () => void; reject: (error: Error) => void }[] = [];

  private constructor(host: Host, holder: object, read: Result<"doc.read">) {
    this.#host = host;
    this.#holder = holder;
    this.docId = read.docId;
    this.#path = read.path;
    this.#version = read.version;
    this.#draft = new Draft(Text.of(read.text));
    this.#ends = this.#watch();
  }

  /** @internal */
  static async open(host: Host, path: string): Promise<LiveText> {
    const holder = {};
    await host.hold({ path }, holder);
    const early: Changed[] = [];
    const deaf = host.on("doc.changed", (changed) => void early.push(changed));
    try {
      const read = await host.request("doc.read", { path });
      host.renamed(path, read.path);
      const live = new LiveText(host, holder, read);
      for (const changed of early) live.#changed(changed);
      return live;
    } catch (error) {
      await host.release({ path }, holder).catch(() => undefined); // why it was not opened is told
      throw error;
    } finally {
      deaf();
    }
  }

  get path(): string {
    return this.#path;
  }

  /** What is shown: the daemon's text, with own edits that it has not confirmed yet. */
  get text(): string {
    return this.#draft.shown.toString();
  }

  /** The newest version that is confirmed. */
  get version(): string {
    return this.#version;
  }

  /** There are own edits that the daemon has not confirmed. */
  get pending(): boolean {
    return this.#draft.isPending;
  }

  /**
   * Makes an edit: ranges of `text` in JavaScript string indices, all of the text as it is before, ascending and
   * not overlapping.
   *
   * @throws RangeError on a range outside the text or inside a character, and on a lone surrogate
   * @throws DisconnectedError once it has ended
   */
  edit(splices: readonly Splice[]): void {
    if (this.#ended !== undefined) throw endError(this.#ended);
    const shown = this.#draft.shown;
    for (const { insert } of splices)
      if (!isWellFormed(insert)) throw new RangeError("insert holds a lone surrogate, which is no text");
    const made = normalize(convert(splices, shown, "utf-16", "utf-32"));
    this.#draft.edit(made);
    if (made.length === 0) return;
    this.#tell(made, shown, { local: true });
    this.#proceed();
  }

  /** Calls back with each event of a kind, until the answer is called. */
  on<K extends keyof LiveEvents>(kind: K, listener: (event: LiveEvents[K]) => void): () => void {
    return this.#listeners.on(kind, listener);
  }

  /** Resolves once no own edit is pending. @throws DisconnectedError when it ends before that */
  settled(): Promise<void> {
    if (!this.pending) return Promise.resolve();
    if (this.#ended !== undefined) return Promise.reject(endError(this.#ended));
    return new Promise((resolve, reject) => void this.#settling.push({ resolve, reject }));
  }

  /** Goes on no more. Edits that wait are not sent; `settled` first keeps them. */
  close(): void {
    this.#end({ why: "closed" });
  }

  #watch(): readonly (() => void)[] {
    const host = this.#host;
    return [
      host.on("doc.changed", (changed) => this.#changed(changed)),
      host.on("doc.renamed", ({ docId, to }) => docId === this.docId && this.#renamed(to)),
      host.on("doc.deleted", ({ docId }) => docId === this.docId && this.#end({ why: "deleted" })),
      host.onMissed((paths) => (paths?.includes(this.#path) ?? true) && this.#readAgain()),
      host.onClosed((error) => this.#end({ why: "closed", ...(error && { error }) })),
      () => void host.release({ path: this.#path }, this.#holder).catch(() => undefined), // with the connection it ends, too
    ];
  }

  #changed(changed: Changed): void {
    if (changed.path !== this.#path) return;
    this.#queue.push(changed);
    this.#proceed();
  }

  #renamed(to: string): void {
    const path = this.#path;
    this.#path = to;
    this.#listeners.tell("renamed", { path, to });
  }

  /** Takes in what was told, then sends what waits, as far as either can be done now. */
  #proceed(): void {
    while (this.#queue.length > 0 && this.#reading === "no" && this.#ended === undefined) {
      const next = this.#queue[0]!;
      // It may be the edit under way; the answer to that tells.
      if (this.#flight.is === "sent" && next.agent === this.#host.hello.agent.id) break;
      this.#queue.shift();
      if (next.previous === this.#version) this.#take(next);
      else if (next.version !== this.#version) this.#readAgain();
    }
    if (this.#ended !== undefined || this.#flight.is === "sent") return;
    if (this.#reading === "due") void this.#read();
    else if (this.#flight.is === "none" && this.#reading === "no") {
      if (this.#draft.isWaiting) void this.#send();
      else for (const { resolve } of this.#settling.splice(0)) resolve();
    }
  }

  #take({ version, splices, author, agent, origin, changeId }: Changed): void {
    const shown = this.#draft.shown;
    const told = convert(splices, this.#draft.confirmed, this.#unit, "utf-32");
    const own = this.#flight.is === "answered" && this.#flight.changeId === changeId;
    const made = own ? this.#draft.ours(told) : this.#draft.theirs(told);
    if (own) this.#flight = { is: "none" };
    this.#version = version;
    this.#tell(made, shown, { local: false, author, agent, origin, changeId });
  }

  async #send(): Promise<void> {
    const { maxInserted } = this.#host.hello.limits;
    const base = this.#draft.confirmed;
    const splices = convert(this.#draft.send(maxInserted), base, "utf-32", this.#unit);
    this.#flight = { is: "sent" };
    const edit = {
      path: this.#path,
      version: this.#version,
      splices,
      ack: "durable",
      opId: newOpId(),
    } as const;
    try {
      const { changeId, proposal } = await this.#host.request("edit.splice", edit);
      if (proposal !== undefined) this.#takeBack("it has to be approved first, and is proposed", proposal);
      else {
        this.#flight = { is: "answered", changeId: changeId ?? "" };
        this.#tries = 0;
        // Nothing is told of an edit that others had made alike.
        if (changeId === null) this.#readAgain();
      }
    } catch (error) {
      if (error instanceof RefusedError) this.#refused(error);
      // The client is closed and this has ended, or the daemon does not take so large a message.
      else if (this.#ended === undefined) this.#takeBack((error as Error).message, undefined);
    }
    this.#proceed();
  }

  #refused(error: RefusedError): void {
    if (isMoved(error) && ++this.#tries < MOST_TRIES) {
      this.#draft.unsend();
      this.#flight = { is: "none" };
      this.#readAgain();
    } else this.#takeBack(error.message, undefined, error);
  }

  #takeBack(message: string, proposal: string | undefined, cause?: RefusedError): void {
    const before = this.#draft.shown;
    const { splices, lost } = this.#draft.refused();
    this.#flight = { is: "none" };
    this.#tries = 0;
    this.#tell(splices, before, { local: false });
    const refused = { splices: convert(lost, this.#draft.shown, "utf-32", "utf-16"), proposal, cause };
    this.#listeners.tell("refused", new LostEditError(message, refused));
  }

  /** Changes may have been missed: all since the version that is known is asked for. */
  #readAgain(): void {
    this.#reading = this.#reading === "no" || this.#reading === "due" ? "due" : "again";
    this.#proceed();
  }

  async #read(): Promise<void> {
    this.#reading = "now";
    try {
      const read = await this.#fetch();
      if (this.#ended !== undefined) return;
      if (read !== undefined) this.#takeAll(read);
      else this.#end({ why: "deleted" });
    } catch (error) {
      const why = error instanceof RefusedError ? "refused" : "closed";
      this.#end({ why, error: error as Error });
    }
    this.#reading = this.#hasMore() ? "due" : "no";
    this.#proceed();
  }

  /** The document as it is now, wherever; undefined when it is nowhere. */
  async #fetch(): Promise<Result<"doc.read"> | undefined> {
    const here = await readSince(this.#host, this.#path, this.#version);
    if (here?.docId === this.docId) return here;
    const moved = await findPath(this.#host, this.docId);
    if (moved === undefined) return undefined;
    this.#host.renamed(this.#path, moved);
    this.#renamed(moved);
    await this.#host.hold({ path: moved }, this.#holder);
    return readSince(this.#host, moved, this.#version);
  }

  #takeAll({ text, version, since }: Result<"doc.read">): void {
    const shown = this.#draft.shown;
    const { confirmed } = this.#draft;
    const made = splicesTo(text, confirmed, since && convert(since.splices, confirmed, this.#unit, "utf-32"));
    // The read came after the answer to the own edit, so it has that in it.
    const splices = this.#flight.is === "none" ? this.#draft.theirs(made) : this.#draft.ours(made);
    this.#flight = { is: "none" };
    this.#version = version;
    // What was told before the read was answered is in it, but for what goes on from there.
    while (this.#queue.length > 0 && this.#queue[0]!.previous !== version) this.#queue.shift();
    this.#tell(splices, shown, { local: false });
  }

  #hasMore(): boolean {
    return this.#reading === "again";
  }

  get #unit(): Unit {
    return this.#host.hello.positionEncoding;
  }

  #tell(splices: readonly Splice[], before: Text, change: Omit<LiveChange, "splices">): void {
    if (splices.length > 0)
      this.#listeners.tell("change", { ...change, splices: convert(splices, before, "utf-32", "utf-16") });
  }

  #end(end: LiveEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = end;
    for (const stop of this.#ends) stop();
    for (const { reject } of this.#settling.splice(0)) reject(endError(end));
    this.#listeners.tell("end", end);
  }
}
