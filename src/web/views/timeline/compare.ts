import { theDaemon } from "../../state/session.ts";

/** Two versions as they can be shown. */
export type Comparison =
  | { readonly is: "texts"; readonly a: string; readonly b: string }
  /** Too large for an editor: what differs. */
  | { readonly is: "large"; readonly diff: string }
  | { readonly is: "equal"; readonly note: string }
  | { readonly is: "failed"; readonly message: string };

/** Characters of both that are compared here; the daemon compares more. */
const MOST_CHARS = 400_000;

/** Reads two versions; without `a`, what the document began with. */
export async function compareVersions(path: string, a: string | undefined, b: string): Promise<Comparison> {
  try {
    const [before, after] = await Promise.all([a === undefined ? "" : textOf(path, a), textOf(path, b)]);
    if (before === after) return { is: "equal", note: "Both versions read the same." };
    if (withoutCarriageReturns(before) === withoutCarriageReturns(after))
      return { is: "equal", note: "They differ in their line endings only." };
    if (before.length + after.length <= MOST_CHARS || a === undefined)
      return { is: "texts", a: before, b: after };
    const { diff } = await theDaemon().history.diff({ path, from: a, to: b });
    return { is: "large", diff };
  } catch (error) {
    return { is: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

async function textOf(path: string, version: string): Promise<string> {
  return (await theDaemon().doc.read({ path, version })).text;
}

function withoutCarriageReturns(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
