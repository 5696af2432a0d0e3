import type { Document } from "../document/document.ts";
import type { Workspace } from "./workspace.ts";

/** The most documents, and bytes of their texts, that stay in memory without use. */
export const MOST_UNUSED = 500;
const MOST_UNUSED_BYTES = 32 << 20;
/** The time since its last use for which a document is in use; milliseconds. */
const USED_MS = 250;

/**
 * Returns the documents that should leave memory: documents without use for the idle time and, beyond the bounds, the
 * documents whose last use is longest ago. A replica elsewhere that gets a document's updates uses it all the time.
 */
export function leaving({ loaded, updates, limits, ports }: Workspace): ReadonlySet<Document> {
  const now = ports.clock.elapsed();
  const unused = [...loaded]
    .filter((document) => now - document.lastUsed >= USED_MS && !updates.has(document.id))
    .sort((a, b) => b.lastUsed - a.lastUsed);
  let bytes = 0;
  return new Set(
    unused.filter((document, i) => {
      bytes += document.text.bytes;
      return i >= MOST_UNUSED || bytes > MOST_UNUSED_BYTES || now - document.lastUsed >= limits.idleMs;
    }),
  );
}
