import { unifiedMergeView } from "@codemirror/merge";
import { StateEffect, type Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

/** Limits of the work at each key; beyond them whole lines count as replaced. */
const DIFF = { scanLimit: 500, timeout: 100 };

/** Marks in an editor what differs from a text: added text in place, and removed lines above it. */
export function markSuggested(view: EditorView, original: Text): void {
  const marks = unifiedMergeView({ original, mergeControls: false, diffConfig: DIFF });
  view.dispatch({ effects: StateEffect.appendConfig.of(marks) });
}
