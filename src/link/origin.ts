import { createHash } from "node:crypto";
import type { Peer } from "../doc/peers.ts";
import { type Decoded, encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Origin } from "../workspace/document/linked.ts";
import { idMaker } from "../workspace/ids.ts";

/**
 * Returns the beginning of a document for a file with this text, the same on every machine of a workspace. Machines
 * that open the same file therefore make the same document (M13).
 */
export function originOf(workspace: string, path: DocPath, content: Decoded): Origin {
  const hash = createHash("sha256").update(`${workspace}\n${path}\n`);
  for (const piece of encode(content)) hash.update(piece);
  const digest = hash.digest();
  // Loro reserves the largest 64-bit value, so one bit stays clear.
  const peer = (digest.readBigUInt64BE(0) >> 1n).toString() as Peer;
  const newId = idMaker((size) => digest.subarray(8, 8 + size));
  return { docId: newId("doc"), changeId: newId("chg"), peer };
}
