import type { HookEvent } from "./input.ts";

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** The effect of a Claude Code editing tool on its file: a whole text, or replacements. */
export interface Writing {
  readonly text?: string | undefined;
  readonly replacements?: readonly Replacement[] | undefined;
}

/** Returns the effect of a tool; an empty object for a tool whose input does not show it. */
export function writingOf(tool: string | undefined, input: NonNullable<HookEvent["input"]>): Writing {
  if (tool === "Write") return { text: stringIn(input, "content") };
  if (tool === "Edit" || tool === "MultiEdit") return { replacements: replacementsIn(tool, input) };
  return {};
}

/** Makes replacements one after the other; returns the reason if one does not fit. */
export function replaced(
  text: string,
  replacements: readonly Replacement[],
): string | { readonly message: string } {
  for (const { old, new: updated, all } of replacements) {
    const count = text.split(old).length - 1;
    if (count === 0 || (count > 1 && !all))
      return { message: `${JSON.stringify(old)} occurs ${count} times` };
    text = all ? text.split(old).join(updated) : text.replace(old, () => updated);
  }
  return text;
}

function replacementsIn(
  tool: string,
  input: Readonly<Record<string, unknown>>,
): readonly Replacement[] | undefined {
  const edits = tool === "Edit" ? [input] : input["edits"];
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const found = edits.map((edit: Readonly<Record<string, unknown>>) => {
    const [old, updated] = [stringIn(edit, "old_string"), stringIn(edit, "new_string")];
    return old === undefined || old === "" || updated === undefined
      ? undefined
      : { old, new: updated, all: edit["replace_all"] === true };
  });
  return found.every((one) => one !== undefined) ? found : undefined;
}

function stringIn(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = typeof input === "object" && input !== null ? input[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
