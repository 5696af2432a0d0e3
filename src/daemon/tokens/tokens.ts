import { statSync } from "node:fs";
import type { Holder, Service } from "../../protocol/service/service.ts";
import type { AccessKeys } from "../../transport/access.ts";
import { Protection } from "../../workspace/access/protection.ts";
import { FULL_RIGHTS, Rights } from "../../workspace/access/rights.ts";
import { digestOf, OWNER, readTokens, type TokenRecord, TokensError } from "./token-file.ts";
import { formatRule } from "./token-rules.ts";

/** The time after which a file that was damaged is read again although it did not change, in milliseconds. */
const AGAIN_MS = 1_000;

/** The reason why only the owner's token is valid. */
export interface TokensDamage {
  readonly kind: TokensError["kind"];
  readonly message: string;
  readonly since: Date;
}

interface KnownToken {
  readonly record: TokenRecord;
  readonly holder: Holder;
}

/**
 * The owner's token and the tokens of the workspace's file. Every look-up checks whether the file changed, so a change
 * counts at once. Only digests are looked up, so that the time of a look-up reveals nothing about a token.
 */
export class Tokens implements AccessKeys {
  readonly owner: Holder = { name: OWNER, rights: FULL_RIGHTS };
  readonly #file: string;
  readonly #ownerDigest: string;
  readonly #log: Service["log"];
  readonly #protection: Protection;
  /** The identity and times of the file when it was read last. */
  #stamp: string | undefined;
  /** The time of that reading, in milliseconds of the process's clock. */
  #readAt = 0;
  /** By digest. */
  #tokens = new Map<string, KnownToken>();
  #damage: TokensDamage | undefined;

  constructor(file: string, ownerToken: string, log: Service["log"], protection = new Protection()) {
    this.#protection = protection;
    this.#file = file;
    this.#ownerDigest = digestOf(ownerToken);
    this.#log = log;
    this.#refresh(false);
  }

  find(token: string): Holder | undefined {
    this.#refresh();
    const digest = digestOf(token);
    return digest === this.#ownerDigest ? this.owner : this.#tokens.get(digest)?.holder;
  }

  holds(holder: Holder): boolean {
    if (holder === this.owner) return true;
    this.#refresh();
    for (const token of this.#tokens.values()) if (token.holder === holder) return true;
    return false;
  }

  /** Returns an id of a holder's token that stays the same after restarts. @throws RangeError for an unknown holder */
  idOf(holder: Holder): string {
    if (holder === this.owner) return OWNER;
    for (const [digest, token] of this.#tokens) if (token.holder === holder) return digest;
    throw new RangeError(`${holder.name} has no token of this workspace`);
  }

  /** Returns the holder of the token with an id; undefined once the token is revoked. */
  holderOf(id: string): Holder | undefined {
    if (id === OWNER) return this.owner;
    this.#refresh();
    return this.#tokens.get(id)?.holder;
  }

  /** Returns the holder of the token with a name. */
  named(name: string): Holder | undefined {
    if (name === OWNER) return this.owner;
    this.#refresh();
    return [...this.#tokens.values()].find(({ holder }) => holder.name === name)?.holder;
  }

  /** Returns the names and the rules of all tokens besides the owner's. */
  list(): { name: string; allow: string[] }[] {
    this.#refresh();
    return [...this.#tokens.values()].map(({ record: { name, rules } }) => ({
      name,
      allow: rules.map(formatRule),
    }));
  }

  get damage(): TokensDamage | undefined {
    this.#refresh();
    return this.#damage;
  }

  /** Reads the file again if it changed, and logs the changes unless `logsChanges` is false. */
  #refresh(logsChanges = true): void {
    const stamp = this.#stampNow();
    if (stamp === this.#stamp && !this.#isDue) return;
    this.#stamp = stamp;
    this.#readAt = performance.now();
    const before = this.#tokens;
    try {
      this.#tokens = this.#read();
      this.#damage = undefined;
    } catch (error) {
      if (!(error instanceof TokensError)) throw error;
      this.#tokens = new Map();
      const { kind, message } = error;
      if (this.#damage?.message === message) return;
      this.#damage = { kind, message, since: new Date() };
      this.#log("error", `tokens.${kind}`, { reason: message });
      return;
    }
    if (logsChanges) this.#logChanges(before);
  }

  /** True once it is time for another look at an unchanged file that was no use: the system may have failed to read it. */
  get #isDue(): boolean {
    return this.#damage !== undefined && performance.now() - this.#readAt >= AGAIN_MS;
  }

  #read(): Map<string, KnownToken> {
    return new Map(
      readTokens(this.#file).map((record) => {
        const before = this.#tokens.get(record.sha256);
        const same = before !== undefined && JSON.stringify(before.record) === JSON.stringify(record);
        const holder = { name: record.name, rights: new Rights(record.rules, this.#protection) };
        return [record.sha256, same ? before : { record, holder }];
      }),
    );
  }

  #logChanges(before: ReadonlyMap<string, KnownToken>): void {
    const after = new Set(this.#tokens.values());
    const earlier = new Set(before.values());
    for (const token of earlier) if (!after.has(token)) this.#log("info", "token.revoked", about(token));
    for (const token of after)
      if (!earlier.has(token))
        this.#log("info", "token.added", { ...about(token), allow: token.record.rules.map(formatRule) });
  }

  #stampNow(): string {
    try {
      const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return "none";
      const { dev, ino, size, mtimeNs, ctimeNs } = stats;
      return [dev, ino, size, mtimeNs, ctimeNs].join(":");
    } catch (error) {
      return String(error); // reading the file fails with this error, too, and reports it
    }
  }
}

function about({ holder }: KnownToken): { token: string } {
  return { token: holder.name };
}
