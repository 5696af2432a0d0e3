import type { Client } from "../../src/client/index.ts";
import type { NotificationParams } from "../../src/protocol/schemas.ts";
import { until } from "./until.ts";

export type Changed = NotificationParams<"doc.changed">;

/** What a client was told of changes to one document. */
export interface Heard {
  readonly changes: Changed[];
  /** Waits until this many changes were told of. */
  count(n: number): Promise<Changed[]>;
}

/** Subscribes to a document and keeps what is told of it. */
export async function listen(client: Client, path: string): Promise<Heard> {
  const changes: Changed[] = [];
  client.on("doc.changed", (change) => {
    if (change.path === path) changes.push(change);
  });
  await client.request("subscribe", { path });
  return {
    changes,
    count: (n) =>
      until(
        `${n} changes of ${path}`,
        () => changes,
        () => changes.length >= n,
      ),
  };
}
