import { StructureFailure } from "../../structured/failure.ts";
import { editableView, editByView } from "../../structured/view/markdown-edit.ts";
import { hasView, markdownView } from "../../structured/view/markdown-view.ts";
import type { Text } from "../../text/text.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { type Planner, workerPlanner } from "./plan.ts";
import { structureCost, structuredPlan, structureRefusal } from "./structure.ts";

/** Plans `edit.write` with `view: "markdown"`: applies the edited Markdown view of a TOML document to it. */
export function planView(path: string, markdown: string): Planner {
  const cost = (text: Text) => structureCost(text) + markdown.length;
  return workerPlanner({ planner: "view", args: [path, markdown], cost }, ({ text }) => {
    if (!hasView(path)) return noViewRefusal(path);
    const edited = editByView(text.toString(), path, markdown);
    const plan = structuredPlan(edited);
    const isExact = "text" in edited && markdownView(edited.text, path) === markdown;
    return isRefusal(plan) || !isExact ? plan : { ...plan, exact: true };
  });
}

/** Returns the Markdown view of a document, for `doc.read` with `view: "markdown"`. */
export function viewOf(path: string, text: Text): Outcome<string> {
  if (!hasView(path)) return noViewRefusal(path);
  const view = editableView(text.toString(), path);
  return view instanceof StructureFailure ? structureRefusal(view) : view;
}

function noViewRefusal(path: string): Refusal {
  return new Refusal(
    "INVALID_ARGUMENT",
    `only .toml documents have a Markdown view, and ${path} is no .toml document`,
    {
      suggestion: 'Send the request without `view`, or with view: "text".',
    },
  );
}
