import { isProposable } from "../../workspace/access/refusals.ts";
import type { Document } from "../../workspace/document/document.ts";
import type { EditResult } from "../../workspace/edits/request.ts";
import type { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import { restoreRequest } from "../../workspace/history/restore.ts";
import type { UndoRequest } from "../../workspace/history/undo.ts";
import { linesRefusal } from "../../workspace/outcome/position-refusals.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import type { Version } from "../../workspace/versions/version.ts";
import { outwards } from "../base/units.ts";
import type { history as schemas } from "../schemas/history.ts";
import type { Params, Result } from "../schemas/schemas.ts";
import type { GuardedService, Requester } from "../service/service.ts";
import { olderVersion, wireDiff } from "./document-diff.ts";
import { makeOrPropose, wireResult } from "./edits.ts";
import { type Handlers, withDocument } from "./handler.ts";

/** Default number of changes in an answer. */
const DEFAULT_LIMIT = 50;

export const historyHandlers: Handlers<keyof typeof schemas> = {
  "history.list": ({ workspace, history }, _requester, { limit = DEFAULT_LIMIT, ...query }) =>
    history.list(workspace, { ...query, limit }),

  async "history.diff"({ workspace }, _requester, { path, from, to }) {
    const document =
      path === undefined ? await ownerOf(workspace, from, olderVersion(to)) : await workspace.opened(path);
    return isRefusal(document) ? document : wireDiff(workspace.workers, document, from, to);
  },

  async "history.restore"(service, requester, { path, version, message = `back to ${version}`, ...common }) {
    const restored = { ...common, message };
    // The editor answers a repeated request; a file that was deleted since must not come back.
    const isRepeated = (await service.editor.earlierAnswer(requester.actor, common)) !== undefined;
    const request = isRepeated
      ? { ...restored, kind: "restore", path, plan: () => ({ splices: [] }) }
      : await restoreRequest(service.workspace, path, version, restored);
    return isRefusal(request) ? request : makeOrPropose(service, requester, request);
  },

  async "history.prune"({ workspace }, _requester, { before, dryRun }) {
    const keepMs = Date.now() - Date.parse(before);
    if (keepMs > 0) return workspace.prune(keepMs, dryRun ?? false);
    return new Refusal("INVALID_ARGUMENT", "`before` is not in the past", {
      suggestion: "Name a time in the past.",
    });
  },

  undo: (service, requester, request) =>
    wireResults(service, requester, service.undoing.undo(requester.actor, undoRequestOf(request))),

  redo: (service, requester, request) =>
    wireResults(service, requester, service.undoing.redo(requester.actor, request)),

  blame: (service, requester, { path, lines }) =>
    withDocument(service.workspace.open(path), async (document) => {
      await service.history.readyToBlame(document);
      return document.closed ?? blame(service, requester, document, lines);
    }),

  "checkpoint.create": ({ checkpoints }, { actor }, { name }) => checkpoints.create(actor, name),

  "checkpoint.list": async ({ checkpoints }, { actor }) => ({ checkpoints: await checkpoints.list(actor) }),

  "checkpoint.restore": ({ checkpoints }, { actor }, { name, preview }) =>
    preview === true ? checkpoints.preview(actor, name) : checkpoints.restore(actor, name),
};

/** The most paths that one refusal names. */
const MOST_NAMED = 20;

/** Opens the only document that has the versions. */
async function ownerOf(
  workspace: GuardedWorkspace,
  from: Version,
  to: Version | undefined,
): Promise<Outcome<Document>> {
  const versions = to === undefined ? [from] : [from, to];
  const quoted = versions.map((version) => JSON.stringify(version)).join(" and ");
  const named = `${to === undefined ? "version" : "versions"} ${quoted}`;
  const owners = await workspace.ownersOf(versions);
  if (owners.length > 1) {
    const paths = owners.map((owner) => owner.path).slice(0, MOST_NAMED);
    return new Refusal("INVALID_ARGUMENT", `several documents have the ${named}: ${paths.join(", ")}`, {
      suggestion: "Name the document in `path`.",
      details: { paths },
    });
  }
  const opened = owners[0] && (await workspace.openedById(owners[0].id));
  const unknown = new Refusal("NOT_FOUND", `no document has the ${named}`, {
    suggestion: "history.list names the versions, and the document of each.",
  });
  return opened ?? unknown;
}

/** Returns the request of an undo, with its time in milliseconds since the epoch. */
export function undoRequestOf({ since, ...request }: Params<"undo">): UndoRequest {
  return { ...request, ...(since !== undefined && { since: Date.parse(since) }) };
}

async function wireResults(
  { undoing }: GuardedService,
  { unit }: Requester,
  taking: Promise<Outcome<readonly EditResult[]>>,
): Promise<Outcome<Result<"undo">>> {
  const results = await taking;
  if (isProposable(results)) return notUndone(results);
  if (isRefusal(results)) return results;
  const files = results.map((result) => wireResult(result, unit));
  const batchId = undoing.batchOf(results);
  return { ...files[0]!, ...(batchId !== undefined && { batchId }), ...(files.length > 1 && { files }) };
}

/** The refusal of an undo by a token that may only propose: its approval would make an edit, and no undo. */
function notUndone({ code, message, details }: Refusal): Refusal {
  return new Refusal(code, message, {
    suggestion:
      "Restore an older version of the document, which proposes its text. Or ask a person or an agent with write.",
    details,
  });
}

function blame(
  { history }: GuardedService,
  { unit }: Requester,
  document: Document,
  lines: readonly [number, number] | undefined,
): Outcome<Result<"blame">> {
  const { path, version, text } = document;
  const [first, last] = lines ?? [1, text.lines];
  const refused = linesRefusal([first, last], text.lines);
  if (refused !== undefined) return refused;
  const start = text.lineStart(first);
  const end = last < text.lines ? text.lineStart(last + 1) : text.chars;
  const runs: Result<"blame">["runs"] = [];
  let at = 0;
  for (const { size, change } of history.blame(document)) {
    const from = Math.max(at, start);
    at += size;
    const to = Math.min(at, end);
    if (from >= to) continue;
    const before = runs.at(-1);
    if (before !== undefined && before.changeId === (change?.id ?? null))
      before.to = outwards(to, text, unit);
    else
      runs.push({
        from: outwards(from, text, unit),
        to: outwards(to, text, unit),
        line: text.lineAt(from),
        author: change?.author ?? null,
        agent: change?.agent ?? null,
        ...(change?.machine !== undefined && { machine: change.machine }),
        changeId: change?.id ?? null,
        time: change === undefined ? null : new Date(change.time).toISOString(),
        ...(change?.message !== undefined && { message: change.message }),
      });
  }
  return { path, version, runs };
}
