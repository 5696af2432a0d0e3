import type { EditRequest, EditResult } from "../../workspace/edit.ts";
import { planLines } from "../../workspace/edits/lines.ts";
import { planPatch } from "../../workspace/edits/patch.ts";
import type { Planner } from "../../workspace/edits/plan.ts";
import { type Occurrence, planReplace, planReplaceRegex } from "../../workspace/edits/replace.ts";
import { planSplice } from "../../workspace/edits/splice.ts";
import { planAppend, planWrite } from "../../workspace/edits/whole.ts";
import { isRefusal, type Outcome } from "../../workspace/refusal.ts";
import type { edits as schemas } from "../schemas/edits.ts";
import type { Params, Result } from "../schemas.ts";
import type { Peer, Service } from "../service.ts";
import { conflictsOutwards, splicesOutwards } from "../units.ts";
import type { Handlers } from "./handler.ts";

/** Methods that make one edit from a plan, and can be looked at before. */
export type EditMethod = keyof typeof schemas;

/** What each asks of the editor. */
const requests: {
  readonly [K in EditMethod]: (params: Params<K>, unit: Peer["unit"]) => EditRequest;
} = {
  "edit.replace": ({ old, new: updated, occurrence, regex, ...common }) => ({
    ...common,
    kind: "replace",
    plan: planReplacement({ old, new: updated, occurrence, regex }),
  }),

  "edit.patch": ({ patch, patch_lines, match: _strict, ...common }) => ({
    ...common,
    kind: "patch",
    plan: planPatch(patch ?? `${patch_lines!.join("\n")}\n`),
  }),

  "edit.splice": ({ splices, ...common }, unit) => ({
    ...common,
    kind: "splice",
    plan: planSplice(splices, unit),
  }),

  "edit.lines": ({ changes, ...common }) => ({ ...common, kind: "lines", plan: planLines(changes) }),

  "edit.append": ({ text, ...common }) => ({ ...common, kind: "append", plan: planAppend(text) }),

  "edit.write": ({ text, ...common }) => ({ ...common, kind: "write", plan: planWrite(text) }),
};

/** The edit that a method's parameters, which were checked, ask for. */
export function editRequest<K extends EditMethod>(
  method: K,
  params: Params<K>,
  unit: Peer["unit"],
): EditRequest {
  return requests[method](params, unit);
}

function edit<K extends EditMethod>(method: K) {
  return async (
    { editor }: Service,
    { actor, unit }: Peer,
    params: Params<K>,
  ): Promise<Outcome<Result<"edit.replace">>> => {
    const result = await editor.edit(actor, editRequest(method, params, unit));
    return isRefusal(result) ? result : wireResult(result, unit);
  };
}

export const editHandlers: Handlers<keyof typeof schemas> = {
  "edit.replace": edit("edit.replace"),
  "edit.patch": edit("edit.patch"),
  "edit.splice": edit("edit.splice"),
  "edit.lines": edit("edit.lines"),
  "edit.append": edit("edit.append"),
  "edit.write": edit("edit.write"),
};

interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly occurrence?: Occurrence | undefined;
  readonly regex?: boolean | undefined;
}

export function planReplacement({ old, new: updated, occurrence = "unique", regex }: Replacement): Planner {
  return regex ? planReplaceRegex(old, updated, occurrence) : planReplace(old, updated, occurrence);
}

export function wireResult(
  { before, base, ...result }: EditResult,
  unit: Peer["unit"],
): Result<"edit.replace"> {
  return {
    ...result,
    splices: [...splicesOutwards(result.splices, before, unit)],
    conflicts: conflictsOutwards(result.conflicts, base, unit),
    ...(result.applied && { applied: result.applied }),
  } as Result<"edit.replace">;
}
