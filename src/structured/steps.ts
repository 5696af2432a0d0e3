import { diffLines } from "../text/diff/diff.ts";
import { type Data, equal, isList, isMap, type Key } from "./data.ts";
import type { PathStep, Structured } from "./format.ts";

/** Returns the steps that turn a document's data into `wanted`: the innermost fields that differ, in a valid order. */
export function stepsTo(document: Structured, wanted: Data): PathStep[] {
  const steps: PathStep[] = [];
  fieldSteps(document, document.data, wanted, [], steps);
  return steps;
}

function fieldSteps(document: Structured, old: Data, wanted: Data, key: Key, steps: PathStep[]): void {
  if (equal(old, wanted)) return;
  if (isMap(old) && isMap(wanted)) {
    for (const [name, value] of wanted) {
      const before = old.get(name);
      if (before !== undefined) fieldSteps(document, before, value, [...key, name], steps);
      else steps.push({ kind: "add", key: [...key, name], value });
    }
    for (const name of old.keys()) if (!wanted.has(name)) steps.push({ kind: "remove", key: [...key, name] });
  } else if (isList(old) && isList(wanted) && (wanted.length > 0 || document.replaceable(key)))
    listSteps(document, old, wanted, key, steps);
  else if (document.replaceable(key)) steps.push({ kind: "replace", key, value: wanted });
  else steps.push({ kind: "remove", key }, { kind: "add", key, value: wanted });
}

/** Adds the steps of a list from its end to its start, so that earlier items keep their index. */
function listSteps(
  document: Structured,
  old: readonly Data[],
  wanted: readonly Data[],
  key: Key,
  steps: PathStep[],
): void {
  for (const { a0, a1, b0, b1 } of diffLines(old.map(signature), wanted.map(signature)).reverse()) {
    const both = Math.min(a1 - a0, b1 - b0);
    for (let i = b1 - 1; i >= b0 + both; i--)
      steps.push({ kind: "add", key: [...key, a0 + both], value: wanted[i]! });
    for (let i = a1 - 1; i >= a0 + both; i--) steps.push({ kind: "remove", key: [...key, i] });
    for (let i = both - 1; i >= 0; i--)
      fieldSteps(document, old[a0 + i]!, wanted[b0 + i]!, [...key, a0 + i], steps);
  }
}

/** Returns a string that is equal only for equal data. */
function signature(data: Data): string {
  if (isList(data)) return `[${data.map(signature).join()}]`;
  if (isMap(data))
    return `{${[...data]
      .map(([key, item]) => `${JSON.stringify(key)}:${signature(item)}`)
      .sort()
      .join()}}`;
  return typeof data === "object" && data !== null
    ? `@${data.text}`
    : `${typeof data} ${typeof data === "string" ? JSON.stringify(data) : String(data)}`;
}
