import type { Bench, Row } from "./bench.ts";
import type { Line } from "./line.ts";
import { announce } from "./progress.ts";
import { Scope } from "./scope.ts";
import { sentence } from "./table.ts";

/** Hands on a row's lines as they come. Returns the reason if the row failed. */
export async function measure(
  row: Row,
  setup: Omit<Bench, "scope">,
  take: (line: Line) => void,
): Promise<string | undefined> {
  const scope = new Scope();
  try {
    for await (const line of row({ ...setup, scope })) {
      take(line);
      announce(sentence(line));
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    announce(reason);
    return error instanceof Error ? error.message : reason;
  } finally {
    await scope.close();
  }
}
