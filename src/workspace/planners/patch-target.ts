import type { Patch } from "../../text/patch/patch.ts";
import { Refusal } from "../outcome/refusal.ts";

/** The file that a patch is for, and the folder of the workspace on disk, where git may count paths from further up. */
export interface PatchTarget {
  readonly path: string;
  readonly root: string;
}

/** Matches a prefix that git puts before paths: `a/` and `b/`, or its mnemonic ones. */
const PREFIX = /^[abciow12]\//;
/** Matches a word that means a side of a diff, as in `--- disk` and `+++ block`. */
const LABEL = /^[^/.]+$/;

/** Refuses a patch whose headers name another file than its target; headers may also name none (S4.4). */
export function refuseOtherFile({ from, to }: Patch, target: PatchTarget): Refusal | undefined {
  if (from === undefined || to === undefined) return undefined;
  const names = [from, to].flatMap(spellings);
  if (names.some((name) => isTarget(name, target))) return undefined;
  if (from !== to && LABEL.test(from) && LABEL.test(to)) return undefined;
  const other = spellings(to).at(-1)!;
  return new Refusal("PATCH_REJECTED", `the patch for ${target.path} names ${other} in its headers`, {
    suggestion: `Send it for ${other}, or write ${target.path} into its headers. Send one patch for each file.`,
    details: { reason: "multiple_files", expected: [target.path], actual: [other] },
  });
}

/** Returns the paths that a name in a header may mean. */
function spellings(name: string): string[] {
  const plain = name.replaceAll("\\", "/").replace(/ \([^()]*\)$/, "");
  // A backslash is part of a name on most systems, and also how Windows separates folders.
  return [name, name.replace(PREFIX, ""), plain, plain.replace(PREFIX, "")].map((path) =>
    path.replace(/^(?:\.\/)+/, "").normalize("NFC"),
  );
}

/** Returns true for the target's path, also counted from a folder above the workspace. */
function isTarget(name: string, { path, root }: PatchTarget): boolean {
  const own = path.replace(/^(?:\.\/)+/, "").normalize("NFC");
  const whole = `${root.replaceAll("\\", "/")}/${own}`.normalize("NFC");
  return name === own || whole === name || (name.endsWith(`/${own}`) && whole.endsWith(`/${name}`));
}
