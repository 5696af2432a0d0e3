import { join } from "node:path";
import { folderId } from "./folder.ts";
import { keyFile, readKey } from "./key.ts";
import { readOwn } from "./own.ts";
import { isSameMac, macOf } from "./seal.ts";

/** The content of `.spliced/daemon.json` while a daemon is ready. */
export interface DaemonFile {
  readonly pid: number;
  readonly url: string;
  readonly rpc: string;
  readonly token: string;
  readonly version: string;
  readonly startedAt: string;
  /**
   * The id (`folderId`) of the `.spliced` folder of the file. A copy of a workspace contains the file, too, but has
   * another id.
   */
  readonly folder: string;
  /**
   * The start time of the process, which distinguishes it from a later process with the same pid; "" where the system
   * has none.
   */
  readonly began: string;
}

/** The file's content, or the reason for not trusting it. */
type ReadDaemonFile =
  | { readonly kind: "none" }
  | { readonly kind: "doubtful"; readonly reason: string }
  | { readonly kind: "genuine"; readonly info: DaemonFile };

const NAME = "daemon.json";

export function daemonFileIn(state: string): string {
  return join(state, NAME);
}

/** Returns the file's text, with a seal that only an owner of this user's key can make. */
export function daemonFileText(key: Uint8Array, info: DaemonFile): string {
  return `${JSON.stringify({ ...info, seal: sealOf(key, info) }, null, 2)}\n`;
}

/**
 * Reads the file, if a daemon of this user wrote it into this very folder. @throws StateError when the file is not
 * this user's
 */
export function readDaemonFile(state: string): ReadDaemonFile {
  const text = readOwn(daemonFileIn(state));
  if (text === undefined) return { kind: "none" };
  const value = parsed(text);
  const key = readKey();
  if (value === undefined || key === undefined || !isSameMac(value.seal, sealOf(key, value)))
    return {
      kind: "doubtful",
      reason: `your key in ${keyFile()} did not seal it: a daemon of another user, of an earlier version, or with another home folder or XDG_STATE_HOME wrote it`,
    };
  if (value.folder !== folderId(state))
    return {
      kind: "doubtful",
      reason: "it was written in another folder, and this folder is a copy of that one",
    };
  const { seal: _seal, ...info } = value;
  return { kind: "genuine", info };
}

/** Returns the response to a challenge. Only this user's daemon that serves this folder at this address can give it. */
export function proofOf(key: Uint8Array, nonce: string, { folder, url, pid }: Provable): string {
  return macOf(key, "proof", [nonce, folder, url, String(pid)]);
}

type Provable = Pick<DaemonFile, "folder" | "url" | "pid">;

function parsed(text: string): (DaemonFile & { readonly seal?: unknown }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as DaemonFile) : undefined;
  } catch {
    return undefined; // a daemon replaces the file in one step, so it is never incomplete
  }
}

function sealOf(key: Uint8Array, info: DaemonFile): string {
  const { pid, url, rpc, token, version, startedAt, folder, began } = info;
  return macOf(key, NAME, [String(pid), url, rpc, token, version, startedAt, folder, began].map(String));
}
