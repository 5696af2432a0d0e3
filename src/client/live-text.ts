import type { NotificationParams, Result } from "../protocol/schemas/schemas.ts";
import type { Unit } from "../text/positions.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import { convert, ownEdit } from "./convert.ts";
import { Draft } from "./draft.ts";
import { LostEditError, RefusedError } from "./errors.ts";
import type { Host } from "./host.ts";
import { Listeners } from "./listeners.ts";
import { endError, type LiveChange, type LiveEnd, type LiveEvents } from "./live-events.ts";
import { findPath, isRetryable, readSince, splicesTo } from "./live-read.ts";
import { newOpId } from "./repeats.ts";

type Changed = NotificationParams<"doc.changed">;

/** The own edit that the daemon has not confirmed. */
type InFlight =
  | { readonly is: "none" }
  | { readonly is: "sent" }
  /** The daemon answered; the change of the edit has not arrived yet. */
  | { readonly is: "answered"; readonly changeId: string };

/** Most attempts at an edit whose refusals a newer state of the document may lift. */
const MOST_ATTEMPTS = 5;

/**
 * A document's text that follows the daemon's and accepts edits. Own edits show at once; the client sends them
 * one request at a time. Where both insert, other authors' changes come first. Failures lead back to the daemon's text.
 */
export class LiveText {
  readonly docId: string;
  readonly #host: Host;
  readonly #listeners = new Listeners<LiveEvents>();
  readonly #draft: Draft;
  readonly #holder: object;
  readonly #stops: readonly (() => void)[];
  #path: string;
  #version: string;
  #inFlight: InFlight = { is: "none" };
  #attempts = 0;
  /** Changes that arrived and are not applied yet, in the order of versions. */
  #queue: Changed[] = [];
  /** The state of missed changes: none, or the state of the read that brings them. */
  #reading: "no" | "due" | "now" | "again" = "no";
  #ended: LiveEnd | undefined;
  #settledWaiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

  private constructor(host: Host, holder: object, read: Result<"doc.read">) {
    this.#host = host;
    this.#holder = holder;
    this.docId = read.docId;
    this.#path = read.path;
    this.#version = read.version;
    this.#draft = new Draft(Text.of(read.text));
    this.#stops = this.#watch();
  }

  /** @internal */
  static async open(host: Host, path: string): Promise<LiveText> {
    const holder = {};
    await host.hold({ path }, holder);
    const early: Changed[] = [];
    const stopEarly = host.on("doc.changed", (changed) => void early.push(changed));
    try {
      const read = await host.request("doc.read", { path });
      host.renamed(path, read.path);
      const live = new LiveText(host, holder, read);
      for (const changed of early) live.#changed(changed);
      return live;
    } catch (error) {
      await host.release({ path }, holder).catch(() => undefined); // the caller gets the error of the open
      throw error;
    } finally {
      stopEarly();
    }
  }

  get path(): string {
    return this.#path;
  }

  /** The visible text: the daemon's text with own edits that the daemon has not confirmed. */
  get text(): string {
    return this.#draft.visible.toString();
  }

  /** The newest confirmed version. */
  get version(): string {
    return this.#version;
  }

  /** True while the daemon has not confirmed some own edits. */
  get pending(): boolean {
    return this.#draft.isPending;
  }

  /**
   * Applies an edit. Its ranges are ascending JavaScript string indices of `text`, without overlaps.
   *
   * @throws RangeError on a range outside the text or inside a character, and on a lone surrogate
   * @throws DisconnectedError once the live text has ended
   */
  edit(splices: readonly Splice[]): void {
    if (this.#ended !== undefined) throw endError(this.#ended);
    const before = this.#draft.visible;
    const edit = ownEdit(splices, before);
    this.#draft.edit(edit);
    if (edit.length === 0) return;
    this.#emitChange(edit, before, { local: true });
    this.#proceed();
  }

  /** Calls back with each event of a kind. Returns a function that ends this. */
  on<K extends keyof LiveEvents>(kind: K, listener: (event: LiveEvents[K]) => void): () => void {
    return this.#listeners.on(kind, listener);
  }

  /** Resolves once all own edits are confirmed. @throws DisconnectedError when the live text ends first */
  settled(): Promise<void> {
    if (!this.pending) return Promise.resolve();
    if (this.#ended !== undefined) return Promise.reject(endError(this.#ended));
    return new Promise((resolve, reject) => void this.#settledWaiters.push({ resolve, reject }));
  }

  /** Ends the live text. Waiting edits are not sent; await `settled` before, to save them. */
  close(): void {
    this.#end({ why: "closed" });
  }

  #watch(): readonly (() => void)[] {
    const host = this.#host;
    return [
      host.on("doc.changed", (changed) => this.#changed(changed)),
      host.on("doc.renamed", ({ docId, to }) => docId === this.docId && this.#renamed(to)),
      host.on("doc.deleted", ({ docId }) => docId === this.docId && this.#end({ why: "deleted" })),
      host.onMissed((paths) => (paths?.includes(this.#path) ?? true) && this.#requestRead()),
      host.onClosed((error) => this.#end({ why: "closed", ...(error && { error }) })),
      () => void host.release({ path: this.#path }, this.#holder).catch(() => undefined), // a connection that ended has ended its subscriptions
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
    this.#listeners.emit("renamed", { path, to });
  }

  /** Applies the changes that arrived, then sends the waiting edits, as far as both are possible now. */
  #proceed(): void {
    while (this.#queue.length > 0 && this.#reading === "no" && this.#ended === undefined) {
      const next = this.#queue[0]!;
      // The change may be the own edit under way; its answer decides.
      if (this.#inFlight.is === "sent" && next.agent === this.#host.hello.agent.id) break;
      this.#queue.shift();
      if (next.previous === this.#version) this.#apply(next);
      else if (next.version !== this.#version) this.#requestRead();
    }
    if (this.#ended !== undefined || this.#inFlight.is === "sent") return;
    if (this.#reading === "due") void this.#read();
    else if (this.#inFlight.is === "none" && this.#reading === "no") {
      if (this.#draft.isWaiting) void this.#send();
      else for (const { resolve } of this.#settledWaiters.splice(0)) resolve();
    }
  }

  #apply({ version, splices, author, agent, origin, changeId }: Changed): void {
    const before = this.#draft.visible;
    const arrived = convert(splices, this.#draft.confirmed, this.#unit, "utf-32");
    const own = this.#inFlight.is === "answered" && this.#inFlight.changeId === changeId;
    const visibleChange = own ? this.#draft.confirm(arrived) : this.#draft.applyRemote(arrived);
    if (own) this.#inFlight = { is: "none" };
    this.#version = version;
    this.#emitChange(visibleChange, before, { local: false, author, agent, origin, changeId });
  }

  async #send(): Promise<void> {
    const { maxInserted } = this.#host.hello.limits;
    const base = this.#draft.confirmed;
    const splices = convert(this.#draft.send(maxInserted), base, "utf-32", this.#unit);
    this.#inFlight = { is: "sent" };
    const edit = {
      path: this.#path,
      version: this.#version,
      splices,
      ack: "durable",
      opId: newOpId(),
    } as const;
    try {
      const { changeId, proposal } = await this.#host.request("edit.splice", edit);
      if (proposal !== undefined) this.#revertSent("the edit needs approval and became a proposal", proposal);
      else {
        this.#inFlight = { is: "answered", changeId: changeId ?? "" };
        this.#attempts = 0;
        // The daemon reports no change for an edit that another author had already made.
        if (changeId === null) this.#requestRead();
      }
    } catch (error) {
      if (error instanceof RefusedError) this.#refused(error);
      // Either the client is closed and this text has ended, or the message is too large for the daemon.
      else if (this.#ended === undefined) this.#revertSent((error as Error).message, undefined);
    }
    this.#proceed();
  }

  #refused(error: RefusedError): void {
    if (isRetryable(error) && ++this.#attempts < MOST_ATTEMPTS) {
      this.#draft.unsend();
      this.#inFlight = { is: "none" };
      this.#requestRead();
    } else this.#revertSent(error.message, undefined, error);
  }

  #revertSent(message: string, proposal: string | undefined, cause?: RefusedError): void {
    const before = this.#draft.visible;
    const { splices, lost } = this.#draft.revertSent();
    this.#inFlight = { is: "none" };
    this.#attempts = 0;
    this.#emitChange(splices, before, { local: false });
    const refused = { splices: convert(lost, this.#draft.visible, "utf-32", "utf-16"), proposal, cause };
    this.#listeners.emit("refused", new LostEditError(message, refused));
  }

  /** Requests the changes since the confirmed version, because some may have been missed. */
  #requestRead(): void {
    this.#reading = this.#reading === "no" || this.#reading === "due" ? "due" : "again";
    this.#proceed();
  }

  async #read(): Promise<void> {
    this.#reading = "now";
    try {
      const read = await this.#readAnywhere();
      if (this.#ended !== undefined) return;
      if (read !== undefined) this.#applyRead(read);
      else this.#end({ why: "deleted" });
    } catch (error) {
      const why = error instanceof RefusedError ? "refused" : "closed";
      this.#end({ why, error: error as Error });
    }
    this.#reading = this.#mustReadAgain() ? "due" : "no";
    this.#proceed();
  }

  /** Reads the document at its present path; returns undefined when it is deleted. */
  async #readAnywhere(): Promise<Result<"doc.read"> | undefined> {
    const here = await readSince(this.#host, this.#path, this.#version);
    if (here?.docId === this.docId) return here;
    const moved = await findPath(this.#host, this.docId);
    if (moved === undefined) return undefined;
    this.#host.renamed(this.#path, moved);
    this.#renamed(moved);
    await this.#host.hold({ path: moved }, this.#holder);
    return readSince(this.#host, moved, this.#version);
  }

  #applyRead({ text, version, since }: Result<"doc.read">): void {
    const before = this.#draft.visible;
    const { confirmed } = this.#draft;
    const remote = splicesTo(
      text,
      confirmed,
      since && convert(since.splices, confirmed, this.#unit, "utf-32"),
    );
    // The daemon answered this read after the own edit, so the text contains that.
    const splices =
      this.#inFlight.is === "none" ? this.#draft.applyRemote(remote) : this.#draft.confirm(remote);
    this.#inFlight = { is: "none" };
    this.#version = version;
    // Changes that arrived before this answer are part of it; later ones continue from its version.
    while (this.#queue.length > 0 && this.#queue[0]!.previous !== version) this.#queue.shift();
    this.#emitChange(splices, before, { local: false });
  }

  #mustReadAgain(): boolean {
    return this.#reading === "again";
  }

  get #unit(): Unit {
    return this.#host.hello.positionEncoding;
  }

  #emitChange(splices: readonly Splice[], before: Text, change: Omit<LiveChange, "splices">): void {
    if (splices.length > 0)
      this.#listeners.emit("change", { ...change, splices: convert(splices, before, "utf-32", "utf-16") });
  }

  #end(end: LiveEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = end;
    for (const stop of this.#stops) stop();
    for (const { reject } of this.#settledWaiters.splice(0)) reject(endError(end));
    this.#listeners.emit("end", end);
  }
}
