import { createInterface } from "node:readline/promises";
import { remark } from "./output.ts";

/**
 * Asks a question that "y" answers with yes. Ctrl-C and Ctrl-D end it without an answer, which is no. Without a terminal no
 * person can answer, so it resolves to false.
 */
export async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    remark("");
    return false;
  } finally {
    asking.close();
  }
}
