import type { Result } from "../protocol/schemas/schemas.ts";
import { diff } from "../text/diff/diff.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import { RefusedError } from "./errors.ts";
import type { Host } from "./host.ts";

/**
 * True for a refusal that a newer state of the document may lift, so the request is worth another attempt.
 */
export function isRetryable({ code }: RefusedError): boolean {
  return code === "STALE_VERSION" || code === "NOT_FOUND" || code === "DELETED";
}

/**
 * Reads a document, with the changes since a version when the history still has it. Returns undefined when
 * there is no document at the path.
 */
export async function readSince(
  host: Host,
  path: string,
  version: string,
): Promise<Result<"doc.read"> | undefined> {
  return (await read(host, { path, since: version })) ?? read(host, { path });
}

/** Returns the document's present path; undefined when it is deleted. */
export async function findPath(host: Host, docId: string): Promise<string | undefined> {
  const { docs } = await host.request("doc.status", { docId });
  return docs.find(({ syncStatus }) => syncStatus !== "deleted")?.path;
}

/**
 * Returns the splices from a text to the one that was read: the daemon's when they fit, else those of a diff.
 */
export function splicesTo(read: string, from: Text, sent: readonly Splice[] | undefined): readonly Splice[] {
  return sent !== undefined && from.splice(sent).equals(Text.of(read)) ? sent : diff(from.toString(), read);
}

async function read(
  host: Host,
  params: { readonly path: string; readonly since?: string },
): Promise<Result<"doc.read"> | undefined> {
  try {
    return await host.request("doc.read", params);
  } catch (error) {
    if (error instanceof RefusedError && isRetryable(error)) return undefined;
    throw error;
  }
}
