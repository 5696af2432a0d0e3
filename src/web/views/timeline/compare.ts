import { theDaemon } from "../../state/base/session.ts";
import { GIT } from "./version-choice.ts";

/** The result of comparing two versions. */
export type Comparison =
  | { readonly is: "texts"; readonly a: string; readonly b: string }
  /** Texts too large for the merge view; their difference. */
  | { readonly is: "large"; readonly diff: string }
  | { readonly is: "equal"; readonly note: string }
  | { readonly is: "failed"; readonly message: string };

/** Most characters of both texts for the merge view; the daemon compares larger ones. */
const MOST_CHARS = 400_000;

/** Compares two versions. Without `a`, the other text is empty. */
export async function compareVersions(path: string, a: string | undefined, b: string): Promise<Comparison> {
  try {
    const [before, after] = await Promise.all([a === undefined ? "" : textOf(path, a), textOf(path, b)]);
    if (before === after) return { is: "equal", note: "Both versions have the same text." };
    if (withoutCarriageReturns(before) === withoutCarriageReturns(after))
      return { is: "equal", note: "The versions differ only in their line endings." };
    if (before.length + after.length <= MOST_CHARS || a === undefined)
      return { is: "texts", a: before, b: after };
    return { is: "large", diff: await largeDiff(path, { a, b }, { before, after }) };
  } catch (error) {
    return { is: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

async function largeDiff(
  path: string,
  { a, b }: { readonly a: string; readonly b: string },
  { before, after }: { readonly before: string; readonly after: string },
): Promise<string> {
  if (a !== GIT) return (await theDaemon().history.diff({ path, from: a, to: b })).diff;
  return (await theDaemon().diff.build({ original: before, updated: after })).diff;
}

async function textOf(path: string, version: string): Promise<string> {
  if (version === GIT) return (await theDaemon().doc.committed({ path })).text ?? "";
  return (await theDaemon().doc.read({ path, version })).text;
}

function withoutCarriageReturns(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
