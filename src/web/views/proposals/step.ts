import { go } from "../../state/base/route.ts";
import { focusRow } from "./focus.ts";
import { neighbour } from "./selection.ts";

/** Opens the next or the previous proposal of the list, if there is one. */
export function step(steps: 1 | -1): void {
  const id = neighbour(steps);
  if (id === undefined) return;
  focusRow(id);
  go({ view: "proposals", id });
}
