import type { Unit } from "../../text/positions.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { conflictsOutwards, outwards, splicesOutwards } from "../base/units.ts";
import type { PresenceChange } from "../service/presence.ts";

/**
 * Returns the event as a token with these rights may see it; undefined for a hidden event. A rename out of
 * the readable paths becomes a deletion, a rename into them a creation.
 */
export function visibleTo(event: WorkspaceEvent, rights: Rights): WorkspaceEvent | undefined {
  if (event.type === "proposal")
    return event.paths.every((path) => rights.allows(path, "read")) ? event : undefined;
  const visible = rights.allows(event.path, "read");
  if (event.type !== "renamed") return visible ? event : undefined;
  const { path, to, docId, author } = event;
  const stays = rights.allows(to, "read");
  if (visible) return stays ? event : { type: "deleted", path, docId, author, unsaved: 0 };
  return stays ? { type: "created", path: to, docId, author } : undefined;
}

const encoded = new WeakMap<WorkspaceEvent, Map<Unit, string>>();

/** Returns the notification of an event, encoded once for all connections with the same unit. */
export function notificationOf(event: WorkspaceEvent, unit: Unit): string {
  let frames = encoded.get(event);
  if (frames === undefined) {
    frames = new Map();
    encoded.set(event, frames);
  }
  let frame = frames.get(unit);
  if (frame === undefined) {
    frame = JSON.stringify({ jsonrpc: "2.0", ...messageOf(event, unit) });
    frames.set(unit, frame);
  }
  return frame;
}

function messageOf(event: WorkspaceEvent, unit: Unit): { method: string; params: object } {
  switch (event.type) {
    case "changed": {
      const { type: _type, before, splices, ...rest } = event;
      return {
        method: "doc.changed",
        params: { ...rest, splices: splicesOutwards(splices, before, unit) },
      };
    }
    case "created":
    case "deleted": {
      const { type, ...rest } = event;
      return { method: `doc.${type}`, params: rest };
    }
    case "renamed": {
      const { type: _type, ...rest } = event;
      return { method: "doc.renamed", params: rest };
    }
    case "conflict": {
      const { path, version, author, conflicts, base } = event;
      return {
        method: "doc.conflict",
        params: { path, version, author, conflicts: conflictsOutwards(conflicts, base, unit) },
      };
    }
    case "rescued": {
      const { type: _type, conflicts, text, ...rest } = event;
      return {
        method: "doc.rescued",
        params: { ...rest, conflicts: conflictsOutwards(conflicts, text, unit) },
      };
    }
    case "superseded": {
      const { type: _type, path, version, author, ...superseded } = event;
      return { method: "doc.conflict", params: { path, version, author, conflicts: [], superseded } };
    }
    case "proposal": {
      const { type: _type, paths: _paths, agentId: agent_id, appliedChange: applied_change, ...rest } = event;
      return { method: "proposal.changed", params: { ...rest, agent_id, applied_change } };
    }
    case "preview": {
      const { type: _type, patchId: patch_id, agentId: agent_id, ...rest } = event;
      return { method: "preview.changed", params: { ...rest, patch_id, agent_id } };
    }
    case "blocked":
      return {
        method: "mirror.blocked",
        params: { path: event.path, problem: event.problem },
      };
    case "rejected": {
      const { type: _type, ...rest } = event;
      return { method: "edit.rejected", params: rest };
    }
    case "recovered":
      return { method: "mirror.recovered", params: { path: event.path } };
  }
}

/** Returns the notification about a client's position in a document, or its leaving. */
export function presenceNotice(change: PresenceChange, unit: Unit): string {
  const { session, actor, path, selection, machine } = change.presence;
  const at = change.type === "here" &&
    selection && {
      from: outwards(selection.from, change.text, unit),
      to: outwards(selection.to, change.text, unit),
    };
  const params = {
    path,
    session,
    agent: actor.agent,
    name: actor.name,
    ...(machine !== undefined && { machine }),
    ...at,
  };
  const gone = change.type === "gone" && { gone: true };
  return JSON.stringify({ jsonrpc: "2.0", method: "presence.changed", params: { ...params, ...gone } });
}
