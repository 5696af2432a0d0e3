import { randomUUID } from "node:crypto";
import { RefusedError } from "../client/calls.ts";
import type { Params, Result } from "../protocol/schemas.ts";
import type { Caller } from "./caller.ts";
import { authorsOf, hunksOf } from "./shown.ts";
import { type Sight, Sights } from "./sights.ts";

type EditMethod = "edit.replace" | "edit.patch" | "edit.write";
type Edited = Result<EditMethod>;

/** Own changes that `undo` finds without being told which. */
const MOST_CHANGES = 200;

/** One model at work: what it was shown, so that its edits are made from what it saw, and what it did. */
export class Agent {
  readonly caller: Caller;
  readonly sights: Sights;
  readonly #changes: string[] = [];

  constructor(caller: Caller) {
    this.caller = caller;
    this.sights = new Sights(caller);
  }

  /** The newest change of its own that was not taken back. */
  get lastChange(): string | undefined {
    return this.#changes.at(-1);
  }

  /** Edits a document from the version that was shown last, and tells what became of it. */
  async edit<M extends EditMethod>(method: M, params: Params<M>): Promise<string> {
    const { sight, now } = await this.sights.look(params.path);
    const request = { ...params, path: now.path, opId: randomUUID() };
    const edited = await this.#fromSight(method, request, sight, now.version);
    if (edited.changeId !== null) this.#did(edited.changeId);
    return this.#tell(edited, sight);
  }

  /** Takes back a change, whoever made it. */
  async undo(changeId: string, message: string | undefined): Promise<string> {
    const undone = await this.caller.request("undo", {
      changeId,
      opId: randomUUID(),
      ...(message !== undefined && { message }),
    });
    const at = this.#changes.indexOf(changeId);
    if (at >= 0) this.#changes.splice(at, 1);
    return this.#tell(undone, this.sights.at(undone.path));
  }

  /** The difference of two versions; "" where one is no longer kept. */
  async hunks(path: string, from: string, to: string): Promise<string> {
    if (from === to) return "";
    try {
      return hunksOf((await this.caller.request("doc.diff", { path, from, to })).diff);
    } catch (error) {
      if (error instanceof RefusedError && error.code === "NOT_FOUND") return "";
      throw error;
    }
  }

  /** What was not in the version shown may be in the newest, which the model may know from elsewhere. */
  async #fromSight<M extends EditMethod>(
    method: M,
    params: Params<M>,
    sight: Sight,
    newest: string,
  ): Promise<Edited> {
    try {
      return await this.caller.request(method, { ...params, version: sight.version });
    } catch (error) {
      if (!(error instanceof RefusedError) || sight.version === newest) throw error;
      if (error.code === "STALE_VERSION") this.sights.forget(sight); // no longer kept: only reading anew helps
      // A whole text goes against what it was made from, or nowhere.
      if (method === "edit.write" || !RETRIED.has(error.code)) throw error;
      return await this.caller.request(method, { ...params, opId: randomUUID() });
    }
  }

  #did(changeId: string): void {
    this.#changes.push(changeId);
    if (this.#changes.length > MOST_CHANGES) this.#changes.shift();
  }

  /** Tells of a change of its own, and of what others did since the version shown; from now on both are seen. */
  async #tell(edited: Edited, sight: Sight | undefined): Promise<string> {
    const { path, version, summary, changeId } = edited;
    const said = [`${path}: ${summary}`];
    if (changeId !== null && sight !== undefined) {
      const { changes, more } = await this.sights.since(path, sight.version);
      const own = changes.findIndex((change) => change.changeId === changeId);
      const before = changes[own]?.previous ?? sight.version;
      said.push(await this.hunks(path, before, version));
      const others = changes.slice(0, Math.max(own, 0));
      if (others.length > 0) {
        const who = authorsOf({ changes: others, more });
        const theirs = await this.hunks(path, sight.version, before);
        const shown = theirs === "" ? ", which left no difference" : `:\n${theirs}`;
        said.push(`Merged with what ${who} changed since you saw version ${sight.version}${shown}`);
      }
      this.sights.shown({ ...sight, path, version });
    }
    said.push(...warnings(edited));
    return said.filter((part) => part !== "").join("\n");
  }
}

const RETRIED = new Set(["NO_MATCH", "PATCH_REJECTED", "STALE_VERSION"]);

function warnings({ conflicts, mirrored }: Edited): string[] {
  const said = conflicts.map(
    ({ ours, theirs }) =>
      `You and others changed the same characters; both texts stay: ${quoted(ours.insert)} (yours) and ` +
      `${quoted(theirs.insert)} (theirs). Read the place and settle it.`,
  );
  if (!mirrored) said.push("The edit is kept, but the file cannot be written now; it will be once it can.");
  return said;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
