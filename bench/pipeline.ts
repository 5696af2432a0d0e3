import type { Client } from "../src/client/client.ts";
import type { Params } from "../src/protocol/schemas.ts";
import { progress } from "./progress.ts";

/** The most unanswered requests. The daemon reads fewer at a time, so it never waits for the next request. */
const WINDOW = 2048;

/** Sends splices without a wait between them, and resolves once all are durable. */
export async function pipeline(
  client: Client,
  name: string,
  count: number,
  nth: (i: number) => Params<"edit.splice">,
): Promise<void> {
  let sent = 0;
  let answered = 0;
  const one = async () => {
    while (sent < count) {
      await client.request("edit.splice", nth(sent++));
      answered++;
      if (answered % 1000 === 0) progress(`${name}: ${answered} of ${count} edits`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WINDOW, count) }, one));
}
