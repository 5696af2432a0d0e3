import type { Client } from "../client/client.ts";
import type { Result } from "../protocol/schemas/schemas.ts";

export type Level = Result<"doc.list">["docs"][number]["permission"];

/** Returns a client's level on a document; undefined if no such document exists for it. */
export async function levelOf(client: Client, path: string): Promise<Level | undefined> {
  const pattern = path.replace(/[\\*?[\]{}!]/g, "\\$&");
  const { docs } = await client.doc.list({ pattern });
  return docs.find((doc) => doc.path === path)?.permission;
}

/** Returns true for a level that lets a client edit a document at once. */
export function mayWrite(level: Level | undefined): boolean {
  return level === "write" || level === "admin";
}
