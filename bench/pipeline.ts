import type { Client } from "../src/client/client.ts";
import type { Params } from "../src/protocol/schemas.ts";
import { progress } from "./progress.ts";

/** Unanswered requests; more than the daemon takes from the wire at a time, so that it never waits for us. */
const WINDOW = 2048;

/** Sends splices without waiting for answers in between; resolves once all are durable. */
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
