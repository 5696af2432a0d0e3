import type { Client } from "../../src/client/index.ts";
import type { NotificationParams } from "../../src/protocol/schemas/schemas.ts";
import { until } from "./until.ts";

export type Changed = NotificationParams<"doc.changed">;

/** The notifications of changes of one document that a client received. */
export interface Heard {
  readonly changes: Changed[];
  /** Waits until the client received this number of changes. */
  count(n: number): Promise<Changed[]>;
}

/** Subscribes to a document and records its notifications. */
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
