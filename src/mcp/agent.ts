import { randomUUID } from "node:crypto";
import { RefusedError } from "../client/errors.ts";
import type { Params, Result } from "../protocol/schemas.ts";
import { type EditReport, hunksOf, namesOfAuthors, warnings } from "./answer-text.ts";
import type { Caller } from "./caller.ts";
import { type SeenVersion, SeenVersions } from "./seen-versions.ts";
import { ToolFailure } from "./tool-failure.ts";

type EditMethod = "edit.replace" | "edit.patch" | "edit.write";
type EditAnswer = Result<EditMethod>;

/** A change or a batch, as the method `undo` names it. */
type UndoTarget = { readonly changeId: string } | { readonly batchId: string };

/** Number of its own edits that a session remembers for `undo` without an id. */
const MOST_UNDO_TARGETS = 200;

/** One MCP session at work: the versions that it has seen, which are the base of its edits, and its own edits. */
export class Agent {
  readonly caller: Caller;
  readonly seen: SeenVersions;
  #undoTargets: readonly UndoTarget[] = [];

  constructor(caller: Caller) {
    this.caller = caller;
    this.seen = new SeenVersions(caller);
  }

  /** The session's newest edit that it has not undone. */
  get newestEdit(): UndoTarget | undefined {
    return this.#undoTargets.at(-1);
  }

  /** Edits a document from the version that the session saw last, and returns a report of the result. */
  async edit<M extends "edit.replace" | "edit.patch">(method: M, params: Params<M>): Promise<string> {
    const { seen, now } = await this.seen.current(params.path);
    const request: Params<M> = { ...params, path: now.path };
    const edited = await this.#send(method, request, seen, seen.version).catch((error: unknown) => {
      // The model may know text of the newest version from elsewhere, so that version is tried next.
      const mayFitNewest = error instanceof RefusedError && RETRIED.has(error.code);
      if (!mayFitNewest || seen.version === now.version) throw error;
      return this.#send(method, request, seen, now.version);
    });
    return this.report(edited, seen);
  }

  /** Replaces a document's whole text. The base is the whole text that the session saw last. */
  async write({ path, text, ...params }: Params<"edit.write">): Promise<string> {
    const { seen, now } = await this.seen.current(path);
    const request = { ...params, path: now.path, text };
    const edited = await this.#send("edit.write", request, seen, this.wholeVersion(seen));
    const report = await this.report(edited, seen);
    if (edited.proposal !== undefined) return report;
    const difference = edited.merged ? await this.#differenceFrom(edited.path, text) : "";
    if (difference !== "") return `${report}\n${difference}`;
    this.seen.sawText({ ...seen, path: edited.path, version: edited.version });
    return report;
  }

  /** Returns the base version of a whole text. @throws ToolFailure if the session does not know the whole text */
  wholeVersion({ path, whole }: SeenVersion): string {
    if (whole !== undefined) return whole;
    throw new ToolFailure(
      `CONFLICT: others changed ${path} since you last read its whole text\n` +
        "Read it again, then write; or change single places with edit or patch.",
    );
  }

  /** Undoes a change or a batch of any author. */
  async undo(target: UndoTarget, message: string | undefined): Promise<string> {
    const undone = await this.caller.request("undo", {
      ...target,
      opId: randomUUID(),
      ...(message !== undefined && { message }),
    });
    const id = JSON.stringify(target);
    this.#undoTargets = this.#undoTargets.filter((one) => JSON.stringify(one) !== id);
    const reports: string[] = [];
    for (const file of undone.files ?? [undone])
      reports.push(await this.report(file, this.seen.at(file.path)));
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

  /** Remembers an edit of this session for `undo`. */
  remember(target: UndoTarget): void {
    this.#undoTargets = [...this.#undoTargets, target].slice(-MOST_UNDO_TARGETS);
  }

  async #send<M extends EditMethod>(
    method: M,
    params: Params<M>,
    seen: SeenVersion,
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
      // The history no longer holds this version; only reading again gives a usable one.
      if (error instanceof RefusedError && error.code === "STALE_VERSION") this.seen.forget(seen);
      throw error;
    }
  }

  /** Reports an own edit and the changes of others since the seen version, and marks both as seen. */
  async report(edited: EditReport, seen: SeenVersion | undefined): Promise<string> {
    const { path, version, summary, changeId } = edited;
    const parts = [`${path}: ${summary}`];
    if (changeId !== null && seen !== undefined) {
      const { changes, more } = await this.seen.since(path, seen.version);
      const own = changes.findIndex((change) => change.changeId === changeId);
      const before = changes[own]?.previous ?? seen.version;
      parts.push(await this.hunks(path, before, version));
      const others = changes.slice(0, Math.max(own, 0));
      if (others.length > 0) {
        const theirs = await this.hunks(path, seen.version, before);
        const shown = theirs === "" ? ", which left no difference" : `:\n${theirs}`;
        const names = namesOfAuthors({ changes: others, more });
        parts.push(`Merged with the changes of ${names} since version ${seen.version}${shown}`);
      }
      const alone = others.length === 0 && seen.whole === seen.version;
      this.seen.sawChanges({ ...seen, path, version }, alone ? version : undefined);
    }
    parts.push(...warnings(edited));
    return parts.filter((part) => part !== "").join("\n");
  }

  /** Returns how the document differs from the text that this session wrote; "" if it does not. */
  async #differenceFrom(path: string, text: string): Promise<string> {
    const { text: now } = await this.caller.request("doc.read", { path });
    if (now === text) return "";
    const { diff } = await this.caller.request("diff.build", { original: text, updated: now });
    return `The document also contains changes that others made since you read it. Compared with your text:\n${hunksOf(diff)}`;
  }
}

const RETRIED = new Set(["NO_MATCH", "PATCH_REJECTED", "STALE_VERSION"]);
