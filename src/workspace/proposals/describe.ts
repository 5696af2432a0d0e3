import type { EditRequest, Resolved } from "../edits/request.ts";
import type { Part } from "./proposal.ts";
import { diffOf } from "./show.ts";

const NO_REASONING = "No reasoning provided";

/** Describes an edit as a part of a proposal: by its own operation where there is one, as a patch otherwise. */
export function describeEdit(
  { kind, path }: EditRequest,
  { base, plan }: Resolved,
): Pick<Part, "operation" | "currentValue" | "proposedValue"> {
  if (kind === "write") {
    const proposedValue = base.text.splice(plan.splices).toString();
    return { operation: "full_replace", currentValue: base.text.toString(), proposedValue };
  }
  if (kind === "append") {
    const proposedValue = plan.splices.map(({ insert }) => insert).join("");
    return { operation: "append", currentValue: "", proposedValue };
  }
  const { diff } = diffOf({ now: base.text, splices: plan.splices }, path);
  return { operation: "patch", currentValue: "", proposedValue: diff };
}

export function reasoningOf(given: string): string {
  return given.trim() === "" ? NO_REASONING : given;
}
