import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { planLegacy } from "../../workspace/planners/legacy.ts";
import type { legacy as schemas } from "../schemas/legacy.ts";
import type { Params } from "../schemas/schemas.ts";
import { editHandler, type RequestBuilder } from "./edits.ts";
import type { Handlers } from "./handler.ts";

type Legacy = Params<"edit.legacy">;

export const legacyRequests: { readonly [M in keyof typeof schemas]: RequestBuilder<M> } = {
  "edit.legacy"(params, { unit }, { settings }) {
    if (!settings.now.legacyOps)
      return new Refusal("PERMISSION_DENIED", "edit.legacy is disabled here (the setting legacyOps)", {
        suggestion:
          "Send edit.patch with a unified diff against the version that you read; diff.build makes one.",
      });
    const base = baseOf(params);
    if (isRefusal(base)) return base;
    const selection = selectionOf(params);
    if (isRefusal(selection)) return selection;
    const { path, op, content, cursor, document, selection_fingerprint: fingerprint } = params;
    const at = typeof cursor === "object" ? cursor.pos : cursor;
    const plan = planLegacy(path, { op, content, cursor: at, selection, document, fingerprint }, unit);
    const { onStale, ack, opId, message, confirm } = params;
    const aim = fingerprint !== undefined ? "content" : document ? "text" : "places";
    return { kind: op, aim, plan, path, ...base, onStale, ack, opId, message, confirm };
  },
};

export const legacyHandlers: Handlers<keyof typeof schemas> = {
  "edit.legacy": editHandler(legacyRequests["edit.legacy"]),
};

/** Returns the base of the edit by any of its names. */
function baseOf(params: Legacy): Outcome<{ version?: string | undefined; sha256?: string | undefined }> {
  const { version, document_version, snapshot_version, document_digest } = params;
  const names = [version, document_version, snapshot_version, document_digest].flatMap((name) => name ?? []);
  const [hashes, versions] = [names.filter(isHash), names.filter((name) => !isHash(name))];
  if (params.sha256 !== undefined) hashes.push(params.sha256);
  if (new Set(versions).size > 1 || new Set(hashes.map((hash) => hash.toLowerCase())).size > 1)
    return new Refusal("INVALID_ARGUMENT", "several parameters name different bases; give one of them");
  return { version: versions[0], sha256: hashes[0] };
}

function selectionOf({ target_range, selection }: Legacy): Outcome<{ from: number; to: number } | undefined> {
  const [a, b] = [target_range, selection].map((given) =>
    Array.isArray(given) ? { from: given[0], to: given[1] } : given,
  );
  if (a !== undefined && b !== undefined && (a.from !== b.from || a.to !== b.to))
    return new Refusal("INVALID_ARGUMENT", "target_range and selection differ; give one of them");
  return a ?? b;
}

function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/i.test(name);
}
