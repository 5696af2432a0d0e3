import { setImmediate } from "node:timers/promises";
import type { Files } from "../../mirror/files.ts";
import type { IgnoreRules } from "../../paths/ignore-rules.ts";
import { Refusal } from "../outcome/refusal.ts";

/** The number of names compared before other clients get a turn (I14). */
const YIELD_EVERY = 2000;

/** Returns the refusal of a missing file that names the one that may be meant; undefined if there is none. */
export async function refusalNaming(
  files: Files,
  ignored: IgnoreRules,
  path: string,
): Promise<Refusal | undefined> {
  const near = await similarPath(files, path);
  if (near === undefined || ignored.ruleFor(near) !== undefined) return undefined;
  return new Refusal("NOT_FOUND", `${path}: no such document; there is ${near}`, {
    suggestion: `Paths keep their case and spelling: use ${near}.`,
    details: { nearest: near },
  });
}

/** Returns an existing path that differs from `path` only in case or Unicode form, if there is one. */
async function similarPath(files: Files, path: string): Promise<string | undefined> {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    const name = await alike(await files.names(parts.join("/")), part);
    if (name === undefined) return undefined;
    parts.push(name);
  }
  const found = parts.join("/");
  return found === path ? undefined : found;
}

async function alike(names: readonly string[], part: string): Promise<string | undefined> {
  const wanted = fold(part);
  for (const [i, name] of names.entries()) {
    if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    if (fold(name) === wanted) return name;
  }
  return undefined;
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
