import type { EditRequest, EditResult } from "../../workspace/edit.ts";
import { planLines } from "../../workspace/edits/lines.ts";
import { planPatch } from "../../workspace/edits/patch.ts";
import type { Planner } from "../../workspace/edits/plan.ts";
import { planReplace, planReplaceRegex } from "../../workspace/edits/replace.ts";
import { planSplice } from "../../workspace/edits/splice.ts";
import { planAppend, planWrite } from "../../workspace/edits/whole.ts";
import { isProposable } from "../../workspace/permission.ts";
import { isRefusal, type Outcome } from "../../workspace/refusal.ts";
import type { edits as schemas } from "../schemas/edits.ts";
import type { Result } from "../schemas.ts";
import type { GuardedService, Peer } from "../service.ts";
import { conflictsOutwards, splicesOutwards } from "../units.ts";
import type { Handlers } from "./handler.ts";

export const editHandlers: Handlers<keyof typeof schemas> = {
  "edit.replace": (service, peer, { old, new: updated, occurrence = "unique", regex, ...common }) => {
    const plan = regex ? planReplaceRegex(old, updated, occurrence) : planReplace(old, updated, occurrence);
    return edit(service, peer, "replace", plan, common);
  },

  "edit.patch": (service, peer, { patch, patch_lines, match: _strict, ...common }) =>
    edit(service, peer, "patch", planPatch(patch ?? `${patch_lines!.join("\n")}\n`), common),

  "edit.splice": (service, peer, { splices, ...common }) =>
    edit(service, peer, "splice", planSplice(splices, peer.unit), common),

  "edit.lines": (service, peer, { changes, ...common }) =>
    edit(service, peer, "lines", planLines(changes), common),

  "edit.append": (service, peer, { text, ...common }) =>
    edit(service, peer, "append", planAppend(text), common),

  "edit.write": (service, peer, { text, ...common }) => edit(service, peer, "write", planWrite(text), common),
};

type Common = Omit<EditRequest, "kind" | "plan">;

/** Makes an edit that is planned, or proposes it for who may do no more (R5), and answers it in the connection's unit. */
export async function edit(
  { editor, proposals }: GuardedService,
  { actor, unit }: Peer,
  kind: string,
  plan: Planner,
  common: Common,
): Promise<Outcome<Result<"edit.replace">>> {
  const request = { ...common, kind, plan };
  const made = await editor.edit(actor, request);
  const result = isProposable(made) ? await proposals.proposeInstead(actor, request) : made;
  return isRefusal(result) ? result : wireResult(result, unit);
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
