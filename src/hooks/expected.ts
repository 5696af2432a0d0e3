import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { textOf } from "./files.ts";
import type { HookEvent } from "./input.ts";
import { replaced, writingOf } from "./writing.ts";

/**
 * Returns the hash of the bytes that a tool will write to a file; undefined where its input does not show them, and for
 * a file with CRLF or a byte order mark, because tools convert these.
 */
export function expectedHash(event: HookEvent, named: string): string | undefined {
  const before = textOf(resolve(event.cwd ?? ".", named));
  if (before !== undefined && (before.includes("\r") || before.startsWith("\ufeff"))) return undefined;
  const { text, replacements } = writingOf(event.tool, event.input ?? {});
  const after = replacements && before !== undefined ? replaced(before, replacements) : text;
  return typeof after === "string" ? createHash("sha256").update(after).digest("hex") : undefined;
}
