import type { Result } from "../protocol/schemas.ts";
import { diff } from "../text/diff.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import { RefusedError } from "./errors.ts";
import type { Host } from "./host.ts";

/** True of a refusal that may be for what happened meanwhile: asked anew, it may be none. */
export function isMoved({ code }: RefusedError): boolean {
  return code === "STALE_VERSION" || code === "NOT_FOUND" || code === "DELETED";
}

/**
 * The document at a path, with what was changed since a version where that is kept still; undefined where there is
 * none.
 */
export async function readSince(
  host: Host,
  path: string,
  version: string,
): Promise<Result<"doc.read"> | undefined> {
  return (await read(host, { path, since: version })) ?? read(host, { path });
}

/** Where a document is by now; undefined when it is nowhere. */
export async function findPath(host: Host, docId: string): Promise<string | undefined> {
  const { docs } = await host.request("doc.status", { docId });
  return docs.find(({ syncStatus }) => syncStatus !== "deleted")?.path;
}

/** What makes a text into the one that was read: as the daemon tells it, if that fits, or by comparing. */
export function splicesTo(read: string, from: Text, told: readonly Splice[] | undefined): readonly Splice[] {
  return told !== undefined && from.splice(told).equals(Text.of(read)) ? told : diff(from.toString(), read);
}

async function read(
  host: Host,
  params: { readonly path: string; readonly since?: string },
): Promise<Result<"doc.read"> | undefined> {
  try {
    return await host.request("doc.read", params);
  } catch (error) {
    if (error instanceof RefusedError && isMoved(error)) return undefined;
    throw error;
  }
}
