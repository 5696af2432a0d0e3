import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { type Refused, refusals } from "../base/outcome.ts";
import { lock, unlock } from "./encryption.ts";
import type { Identity } from "./identity.ts";
import type { EpochGrant } from "./records.ts";
import { agreed, KEY_BYTES, type KeyPair, newPair } from "./signing.ts";

/** The epoch of certificates and the owner's record, which every invited machine can read. Its key never changes. */
export const ROSTER_EPOCH = 0;

/** A key of an epoch: 32 bytes in base64url. */
export interface EpochKey {
  readonly epoch: number;
  readonly key: string;
}

/** A machine to seal a key to. */
export interface Recipient {
  readonly machine: string;
  /** Its public X25519 key. */
  readonly sealing: string;
}

/** `not_given`: the owner gave this machine no key. `wrong_key`: the owner's sealed key does not open. */
export type LearnRefusal = "not_given" | "wrong_key";

const refuse = refusals<LearnRefusal>({
  not_given:
    "The owner gave this machine no key of the current epoch. The owner may have removed the machine.",
  wrong_key:
    "The key that the owner gave does not open. The owner's machine has to publish its record again.",
});

export function newEpochKey(epoch: number): EpochKey {
  return { epoch, key: randomBytes(KEY_BYTES).toString("base64url") };
}

/** The keys of a workspace's epochs that a machine has. */
export class Keys {
  readonly #workspace: string;
  readonly #keys = new Map<number, Buffer>();

  constructor(workspace: string, known: readonly EpochKey[]) {
    this.#workspace = workspace;
    for (const { epoch, key } of known) this.#keys.set(epoch, Buffer.from(key, "base64url"));
  }

  /** The newest epoch, with whose key this machine seals documents. */
  get newest(): number {
    return Math.max(...this.#keys.keys());
  }

  /** All keys, for a file that only this user can read. */
  get all(): readonly EpochKey[] {
    return [...this.#keys].map(([epoch, key]) => ({ epoch, key: key.toString("base64url") }));
  }

  /** The keys for a share line: those of the roster and of the newest epoch. */
  get shared(): readonly EpochKey[] {
    return this.all.filter(({ epoch }) => epoch === ROSTER_EPOCH || epoch === this.newest);
  }

  at(epoch: number): Buffer | undefined {
    return this.#keys.get(epoch);
  }

  /**
   * Adds the keys of a record that `Members` accepted. Returns the newest epoch; adds no key if one of them does not
   * open.
   */
  learn(
    { number, keys, earlier }: EpochGrant,
    { id, sealing }: Pick<Identity, "id" | "sealing">,
  ): number | Refused<LearnRefusal> {
    const own = keys.find(({ machine }) => machine === id);
    let key = this.#keys.get(number);
    if (key === undefined) {
      if (own === undefined) return refuse("not_given");
      key = openSealed(own.sealed, sealing, this.#contextOf(number, id));
    }
    const learned = new Map<number, Buffer>();
    for (let epoch = number; epoch > 0; epoch--) {
      const known = this.#keys.get(epoch);
      if (key?.length !== KEY_BYTES || (known !== undefined && !known.equals(key)))
        return refuse("wrong_key");
      learned.set(epoch, key);
      if (epoch > 1) key = unlock(earlier[epoch - 2] ?? "", earlierKey(key));
    }
    for (const [epoch, one] of learned) this.#keys.set(epoch, one);
    return this.newest;
  }

  /** Returns a record's part about the newest epoch, for the machines that may have its key. */
  grant(recipients: readonly Recipient[]): EpochGrant {
    const number = this.newest;
    return {
      number,
      keys: recipients.map(({ machine, sealing }) => ({
        machine,
        sealed: sealTo(sealing, this.#keyAt(number), this.#contextOf(number, machine)),
      })),
      earlier: Array.from({ length: number - 1 }, (_, i) =>
        lock(this.#keyAt(i + 1), earlierKey(this.#keyAt(i + 2))),
      ),
    };
  }

  /** Returns these keys and one of a new epoch. */
  withNewEpoch(): Keys {
    return new Keys(this.#workspace, [...this.all, newEpochKey(this.newest + 1)]);
  }

  #keyAt(epoch: number): Buffer {
    const key = this.#keys.get(epoch);
    if (key === undefined) throw new Error(`the owner's machine lacks the key of epoch ${epoch}`);
    return key;
  }

  #contextOf(epoch: number, machine: string): string {
    return `spliced epoch\0${this.#workspace}\0${epoch}\0${machine}`;
  }
}

/** Seals a key to the holder of an X25519 pair: a public key for this one use, then the locked key. */
function sealTo(recipient: string, key: Uint8Array, context: string): string {
  const once = newPair("X25519");
  const shared = agreed(once, recipient);
  if (shared === undefined) throw new Error("a member has a key to which nothing can be sealed");
  return `${once.public}.${lock(key, derived(shared, once.public, recipient, context))}`;
}

/** Returns the key that `sealTo` sealed to a pair; undefined if the text is another one. */
function openSealed(sealed: string, pair: KeyPair, context: string): Buffer | undefined {
  const [once = "", locked = ""] = sealed.split(".");
  const shared = agreed(pair, once);
  return shared && unlock(locked, derived(shared, once, pair.public, context));
}

function derived(shared: Uint8Array, once: string, recipient: string, context: string): Buffer {
  return Buffer.from(hkdfSync("sha256", shared, `${once}.${recipient}`, context, KEY_BYTES));
}

/** Returns the key under which an epoch's key locks the key of the epoch before it. */
function earlierKey(key: Uint8Array): Buffer {
  return createHmac("sha256", key).update("spliced earlier epoch").digest();
}
