import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";

/** Writes one line of a log. */
type Line = (entry: { readonly event: string; readonly [detail: string]: unknown }) => void;
type Changed = Extract<WorkspaceEvent, { type: "changed" }>;

/** The time after a line in which further edits of its author in its document wait for one line; milliseconds. */
const TOGETHER_MS = 1000;

/** The edits of one author in one document since the last line about them, oldest first. */
interface Run {
  edits: Changed[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Writes lines about the changes of the workspace, for a person who watches the daemon on a terminal. Returns a function
 * that writes what waits, and ends this.
 */
export function writeChanges(workspace: Pick<Workspace, "listen">, line: Line): () => void {
  const runs = new Map<string, Run>();
  const write = (key: string) => {
    const run = runs.get(key)!;
    if (run.edits.length > 0) line(lineOf(run.edits));
    else {
      clearInterval(run.timer);
      runs.delete(key);
    }
    run.edits = [];
  };
  const writeAll = () => {
    for (const key of runs.keys()) write(key);
  };
  const add = (change: Changed) => {
    const key = JSON.stringify([change.docId, change.author]);
    const run = runs.get(key);
    if (run !== undefined && change.message === undefined) return run.edits.push(change);
    if (run !== undefined) write(key);
    else runs.set(key, { edits: [], timer: setInterval(() => write(key), TOGETHER_MS).unref() });
    return line(lineOf([change]));
  };
  const end = workspace.listen((event) => {
    if (event.type === "changed") return add(event);
    const entry = entryOf(event);
    if (entry === undefined) return;
    writeAll();
    line(entry);
  });
  return () => {
    end();
    writeAll();
    for (const { timer } of runs.values()) clearInterval(timer);
  };
}

/** Returns the line about edits of one author in one document. */
function lineOf(edits: readonly Changed[]): Parameters<Line>[0] {
  const { path, author, changeId, message } = edits.at(-1)!;
  const sum = (of: "added" | "removed") => edits.reduce((all, edit) => all + edit[of], 0);
  const chars = `+${sum("added")} -${sum("removed")}`;
  const count = edits.length > 1 && { edits: edits.length };
  return {
    event: "changed",
    path,
    author,
    chars,
    ...count,
    changeId,
    ...(message !== undefined && { message }),
  };
}

function entryOf(event: Exclude<WorkspaceEvent, Changed>): Parameters<Line>[0] | undefined {
  switch (event.type) {
    case "created":
    case "deleted":
      return { event: event.type, path: event.path, author: event.author };
    case "renamed":
      return { event: "renamed", path: event.path, to: event.to, author: event.author };
    case "rescued":
      return {
        event: "rescued",
        path: event.path,
        edits: event.authors.join(", "),
        changeId: event.changeId,
      };
    case "superseded":
    case "conflict":
      return { event: event.type, path: event.path };
    default:
      return undefined;
  }
}
