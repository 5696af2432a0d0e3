import { join } from "node:path";
import { folderId } from "./folder.ts";
import { keyFile, readKey } from "./key.ts";
import { readOwn } from "./own.ts";
import { isSameMac, macOf } from "./seal.ts";

/** What `.spliced/daemon.json` says while a daemon is ready. */
export interface DaemonFile {
  readonly pid: number;
  readonly url: string;
  readonly rpc: string;
  readonly token: string;
  readonly version: string;
  readonly startedAt: string;
  /** Which `.spliced` it was put into (`folderId`): a copy of a workspace has the file, too. */
  readonly folder: string;
  /** When the process began, so that another with its number is not taken for it; "" where no system tells. */
  readonly began: string;
}

/** The file, or why nothing in it is believed. */
type ReadDaemonFile =
  | { readonly kind: "none" }
  | { readonly kind: "doubtful"; readonly reason: string }
  | { readonly kind: "genuine"; readonly info: DaemonFile };

const NAME = "daemon.json";

export function daemonFileIn(state: string): string {
  return join(state, NAME);
}

/** The file's text, with a seal that nobody can make who has not this user's key. */
export function daemonFileText(key: Uint8Array, info: DaemonFile): string {
  return `${JSON.stringify({ ...info, seal: sealOf(key, info) }, null, 2)}\n`;
}

/** Reads what a daemon of this user wrote into this very folder. @throws StateError when the file is not ours */
export function readDaemonFile(state: string): ReadDaemonFile {
  const text = readOwn(daemonFileIn(state));
  if (text === undefined) return { kind: "none" };
  const value = parsed(text);
  const key = readKey();
  if (value === undefined || key === undefined || !isSameMac(value.seal, sealOf(key, value)))
    return {
      kind: "doubtful",
      reason: `your key in ${keyFile()} did not seal it: a daemon of somebody else, of an earlier version, or with another XDG_STATE_HOME wrote it`,
    };
  if (value.folder !== folderId(state))
    return { kind: "doubtful", reason: "it was written in another folder, of which this is a copy" };
  const { seal: _seal, ...info } = value;
  return { kind: "genuine", info };
}

/** What a daemon answers to a challenge: only this user's daemon that serves this folder at this address can. */
export function proofOf(key: Uint8Array, nonce: string, { folder, url, pid }: Provable): string {
  return macOf(key, "proof", [nonce, folder, url, String(pid)]);
}

type Provable = Pick<DaemonFile, "folder" | "url" | "pid">;

function parsed(text: string): (DaemonFile & { readonly seal?: unknown }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as DaemonFile) : undefined;
  } catch {
    return undefined; // no daemon writes it half
  }
}

function sealOf(key: Uint8Array, info: DaemonFile): string {
  const { pid, url, rpc, token, version, startedAt, folder, began } = info;
  return macOf(key, NAME, [String(pid), url, rpc, token, version, startedAt, folder, began].map(String));
}
