import { randomUUID } from "node:crypto";
import { RefusedError } from "../client/errors.ts";
import type { Params, Result } from "../protocol/schemas.ts";
import { authorNames, type EditReport, hunksOf, warnings } from "./answer-text.ts";
import type { Caller } from "./caller.ts";
import { type SeenVersion, SeenVersions } from "./seen-versions.ts";
import { ToolFailure } from "./tool-failure.ts";

type EditMethod = "edit.replace" | "edit.patch" | "edit.write";
type EditAnswer = Result<EditMethod>;

/** One thing that was done, as `undo` names it. */
export type UndoTarget = { readonly changeId: string } | { readonly batchId: string };

/** Own deeds that are remembered, for `undo` without being told which. */
const MOST_UNDO_TARGETS = 200;

/** One model at work: what it was shown, so that its edits are made from what it saw, and what it did. */
export class Agent {
  readonly caller: Caller;
  readonly seen: SeenVersions;
  #undoTargets: readonly UndoTarget[] = [];

  constructor(caller: Caller) {
    this.caller = caller;
    this.seen = new SeenVersions(caller);
  }

  /** The newest of its own deeds that was not taken back. */
  get newestEdit(): UndoTarget | undefined {
    return this.#undoTargets.at(-1);
  }

  /** Edits a document from the version that was shown last, and tells what became of it. */
  async edit<M extends "edit.replace" | "edit.patch">(method: M, params: Params<M>): Promise<string> {
    const { sight, now } = await this.seen.current(params.path);
    const request: Params<M> = { ...params, path: now.path };
    const edited = await this.#send(method, request, sight, sight.version).catch((error: unknown) => {
      // What was not in the version shown may be in the newest, which the model may know from elsewhere.
      const elsewhere = error instanceof RefusedError && RETRIED.has(error.code);
      if (!elsewhere || sight.version === now.version) throw error;
      return this.#send(method, request, sight, now.version);
    });
    return this.report(edited, sight);
  }

  /** Makes a document's text another, as it was changed from the text that was shown last. */
  async write({ path, text, ...params }: Params<"edit.write">): Promise<string> {
    const { sight, now } = await this.seen.current(path);
    const request = { ...params, path: now.path, text };
    const edited = await this.#send("edit.write", request, sight, this.wholeVersion(sight));
    const told = await this.report(edited, sight);
    if (edited.proposal !== undefined) return told;
    const beyond = edited.merged ? await this.#differenceFrom(edited.path, text) : "";
    if (beyond !== "") return `${told}\n${beyond}`;
    this.seen.sawText({ ...sight, path: edited.path, version: edited.version });
    return told;
  }

  /** The version that a whole text is made from. @throws ToolFailure where the model does not know its text */
  wholeVersion({ path, whole }: SeenVersion): string {
    if (whole !== undefined) return whole;
    throw new ToolFailure(
      `CONFLICT: others changed ${path} beside your edits, and you have not read its text as a whole since\n` +
        "Read it again, then write; or change the places that matter with edit or patch.",
    );
  }

  /** Takes back a change or a batch, whoever made it. */
  async undo(deed: UndoTarget, message: string | undefined): Promise<string> {
    const undone = await this.caller.request("undo", {
      ...deed,
      opId: randomUUID(),
      ...(message !== undefined && { message }),
    });
    this.#undoTargets = this.#undoTargets.filter((one) => JSON.stringify(one) !== JSON.stringify(deed));
    const told: string[] = [];
    for (const file of undone.files ?? [undone]) told.push(await this.report(file, this.seen.at(file.path)));
    return told.join("\n");
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

  /** Remembers a deed of its own. */
  remember(deed: UndoTarget): void {
    this.#undoTargets = [...this.#undoTargets, deed].slice(-MOST_UNDO_TARGETS);
  }

  async #send<M extends EditMethod>(
    method: M,
    params: Params<M>,
    sight: SeenVersion,
    version: string,
  ): Promise<EditAnswer> {
    try {
      const edited: EditAnswer = await this.caller.request(method, {
        ...params,
        version,
        opId: randomUUID(),
      });
      if (edited.changeId !== null) this.remember({ changeId: edited.changeId });
      return edited;
    } catch (error) {
      // A version that is no longer kept is of no more use: only reading anew helps.
      if (error instanceof RefusedError && error.code === "STALE_VERSION") this.seen.forget(sight);
      throw error;
    }
  }

  /** Tells of a change of its own, and of what others did since the version shown; from now on both are seen. */
  async report(edited: EditReport, sight: SeenVersion | undefined): Promise<string> {
    const { path, version, summary, changeId } = edited;
    const said = [`${path}: ${summary}`];
    if (changeId !== null && sight !== undefined) {
      const { changes, more } = await this.seen.since(path, sight.version);
      const own = changes.findIndex((change) => change.changeId === changeId);
      const before = changes[own]?.previous ?? sight.version;
      said.push(await this.hunks(path, before, version));
      const others = changes.slice(0, Math.max(own, 0));
      if (others.length > 0) {
        const theirs = await this.hunks(path, sight.version, before);
        const shown = theirs === "" ? ", which left no difference" : `:\n${theirs}`;
        const who = authorNames({ changes: others, more });
        said.push(`Merged with what ${who} changed since you saw version ${sight.version}${shown}`);
      }
      const alone = others.length === 0 && sight.whole === sight.version;
      this.seen.sawChanges({ ...sight, path, version }, alone ? version : undefined);
    }
    said.push(...warnings(edited));
    return said.filter((part) => part !== "").join("\n");
  }

  /** What a document has beyond the text that was written to it. */
  async #differenceFrom(path: string, text: string): Promise<string> {
    const { text: now } = await this.caller.request("doc.read", { path });
    if (now === text) return "";
    const { diff } = await this.caller.request("diff.build", { original: text, updated: now });
    return `What others changed since you read it stays; against the text that you wrote it now has:\n${hunksOf(diff)}`;
  }
}

const RETRIED = new Set(["NO_MATCH", "PATCH_REJECTED", "STALE_VERSION"]);
