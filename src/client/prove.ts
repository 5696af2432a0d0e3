import { randomBytes } from "node:crypto";
import { proofOf } from "../state/daemon-file.ts";
import { readKey } from "../state/key.ts";
import { isSameMac } from "../state/seal.ts";
import { ask } from "./ask.ts";
import { DisconnectedError } from "./errors.ts";
import { type Located, lookForDaemon } from "./locate.ts";

/** `silent`: nothing answers at the address; `stranger`: another program answers. */
export type Proof =
  | { readonly kind: "proven" }
  | { readonly kind: "silent" | "stranger"; readonly reason: string };

/** Longest time for an answer to a challenge, in milliseconds, and its greatest length, in characters. */
const ANSWER_MS = 5_000;
const MAX_ANSWER = 1_024;

/** Challenges the program at a daemon's address to prove that it is that daemon; sends no token. */
export async function challenge(located: Located, signal?: AbortSignal): Promise<Proof> {
  const nonce = randomBytes(24).toString("base64url");
  const key = readKey();
  const limit = AbortSignal.timeout(ANSWER_MS);
  const until = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let answer: string;
  try {
    const question = { agent: false, signal: until } as const;
    answer = (await ask(`${located.url}/prove?nonce=${nonce}`, MAX_ANSWER, question)).text;
  } catch (error) {
    return { kind: "silent", reason: error instanceof Error ? error.message : String(error) };
  }
  return key !== undefined && isSameMac(answer.trim(), proofOf(key, nonce, located))
    ? { kind: "proven" }
    : {
        kind: "stranger",
        reason: "another program, or a daemon of an earlier version, answers there",
      };
}

/**
 * Returns the proven daemon of the workspace that contains a folder; undefined when none runs. A daemon may be outside of
 * this process's sandbox, so that its process looks ended, and answer nevertheless.
 * @throws DisconnectedError when the program at its address does not prove to be that daemon, StateError
 */
export async function provenDaemon(from: string, signal?: AbortSignal): Promise<Located | undefined> {
  const sighting = lookForDaemon(from);
  if (sighting.kind === "doubtful") throw new DisconnectedError(doubted(sighting));
  if (sighting.kind === "none") return undefined;
  const { located } = sighting;
  const proof = await challenge(located, signal);
  if (proof.kind === "proven") return located;
  if (sighting.kind === "ended" && proof.kind === "silent") return undefined;
  throw new DisconnectedError(
    proof.kind === "silent"
      ? `no daemon answers at ${located.url}: ${proof.reason}`
      : `${located.url} does not prove to be the daemon of ${located.root}: ${proof.reason}; the client sent nothing there`,
  );
}

/** Returns the message about a `daemon.json` that this user's daemon did not write. */
export function doubted({ root, reason }: { readonly root: string; readonly reason: string }): string {
  return `no daemon was contacted: the file .spliced/daemon.json of ${root} is not trusted, because ${reason}`;
}
