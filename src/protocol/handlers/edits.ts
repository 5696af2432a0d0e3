import type { Json } from "../../structured/data.ts";
import type { Occurrence } from "../../text/find/occurrence.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import { type EditRequest, type EditResult, namesBase } from "../../workspace/edits/request.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import { planLines } from "../../workspace/planners/lines.ts";
import { planPatch } from "../../workspace/planners/patch.ts";
import type { Planner } from "../../workspace/planners/plan.ts";
import { planReplaceRegex } from "../../workspace/planners/regex.ts";
import { planReplace } from "../../workspace/planners/replace.ts";
import { planSet } from "../../workspace/planners/set.ts";
import { planSplice } from "../../workspace/planners/splice.ts";
import { planView } from "../../workspace/planners/view.ts";
import { planAppend, planWrite } from "../../workspace/planners/whole.ts";
import { conflictsOutwards, splicesOutwards } from "../base/units.ts";
import type { edits as schemas } from "../schemas/edits.ts";
import type { Method, Params, Result } from "../schemas/schemas.ts";
import type { GuardedService, Requester } from "../service/service.ts";
import { withBase } from "./base-names.ts";
import type { Handlers } from "./handler.ts";

/** Turns a method's checked parameters into a request for the editor. */
export type RequestBuilder<M extends Method> = (
  params: Params<M>,
  requester: Requester,
  service: GuardedService,
) => Outcome<EditRequest>;

/** The builders of all methods that edit one document; preview.create uses them, too. */
export const editRequests: { readonly [M in keyof typeof schemas]: RequestBuilder<M> } = {
  "edit.replace": ({ old, new: updated, occurrence, regex, ...common }) => ({
    ...common,
    kind: "replace",
    aim: "content",
    plan: planReplacement({ old, new: updated, occurrence, regex }),
  }),

  "edit.patch": ({ patch, patch_lines, match, ...named }, _requester, { workspace: { root } }) => {
    const common = withBase(named);
    if (isRefusal(common)) return common;
    const source = patch ?? `${patch_lines!.join("\n")}\n`;
    const plan = planPatch(source, match, namesBase(common), { path: common.path, root });
    return { ...common, kind: "patch", aim: "content", plan };
  },

  "edit.splice": ({ splices, ...common }, { unit }) => ({
    ...common,
    kind: "splice",
    aim: "places",
    plan: planSplice(splices, unit),
  }),

  "edit.lines": ({ changes, ...common }) => ({
    ...common,
    kind: "lines",
    aim: "places",
    plan: planLines(changes),
  }),

  "edit.append": ({ text, ...common }) => ({
    ...common,
    kind: "append",
    plan: planAppend(text),
  }),

  "edit.write": ({ text, view, ...common }) => ({
    ...common,
    kind: "write",
    aim: view === "markdown" ? "view" : "text",
    plan: view === "markdown" ? planView(common.path, text) : planWrite(text),
  }),

  "edit.set": ({ key, value, ...common }) => ({
    ...common,
    kind: "set",
    aim: "content",
    plan: planSet(common.path, key, value as Json),
  }),
};

/** Returns a handler that makes or proposes the edit of its parameters. */
export function editHandler<M extends Method>(build: RequestBuilder<M>) {
  return async (
    service: GuardedService,
    requester: Requester,
    params: Params<M>,
  ): Promise<Outcome<Result<"edit.replace">>> => {
    const request = build(params, requester, service);
    return isRefusal(request) ? request : makeOrPropose(service, requester, request);
  };
}

/** Makes an edit, or a proposal when the token may only propose (R5). */
export async function makeOrPropose(
  { policyEditor, proposals }: GuardedService,
  { actor, unit }: Requester,
  request: EditRequest,
): Promise<Outcome<Result<"edit.replace">>> {
  const made = await policyEditor.edit(actor, request);
  const result = isProposable(made) ? await proposals.proposeInstead(actor, request) : made;
  return isRefusal(result) ? result : wireResult(result, unit);
}

export const editHandlers: Handlers<keyof typeof schemas> = {
  "edit.replace": editHandler(editRequests["edit.replace"]),
  "edit.patch": editHandler(editRequests["edit.patch"]),
  "edit.splice": editHandler(editRequests["edit.splice"]),
  "edit.lines": editHandler(editRequests["edit.lines"]),
  "edit.append": editHandler(editRequests["edit.append"]),
  "edit.write": editHandler(editRequests["edit.write"]),
  "edit.set": editHandler(editRequests["edit.set"]),
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
  { before, base, baseVersion, ...result }: EditResult,
  unit: Requester["unit"],
): Result<"edit.replace"> {
  return {
    ...result,
    splices: [...splicesOutwards(result.splices, before, unit)],
    conflicts: conflictsOutwards(result.conflicts, base, unit),
    ...(baseVersion !== undefined && { base: baseVersion }),
    ...(result.applied && { applied: result.applied }),
  } as Result<"edit.replace">;
}
