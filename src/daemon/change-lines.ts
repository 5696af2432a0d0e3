import type { WorkspaceEvent } from "../workspace/events/events.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";

/** Writes one line of a log. */
type Line = (entry: { readonly event: string; readonly [detail: string]: unknown }) => void;

/** Writes a line for each change of the workspace, for a person who watches the daemon on a terminal. */
export function writeChanges(workspace: Workspace, line: Line): void {
  workspace.listen((event) => {
    const entry = entryOf(event);
    if (entry !== undefined) line(entry);
  });
}

function entryOf(event: WorkspaceEvent): Parameters<Line>[0] | undefined {
  switch (event.type) {
    case "changed": {
      const { path, author, changeId, added, removed, message } = event;
      const chars = `+${added} -${removed}`;
      return { event: "changed", path, author, chars, changeId, ...(message !== undefined && { message }) };
    }
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
