import { statSync } from "node:fs";
import type { Holder, Service } from "../protocol/service.ts";
import type { AccessKeys } from "../transport/access.ts";
import { Protection } from "../workspace/access/protection.ts";
import { FULL_RIGHTS, Rights } from "../workspace/access/rights.ts";
import { digestOf, OWNER, readTokens, type TokenRecord, TokensError } from "./token-file.ts";
import { showRule } from "./token-rules.ts";

/** Why nobody but the owner is let in. */
export interface TokensDamage {
  readonly kind: TokensError["kind"];
  readonly message: string;
  readonly since: Date;
}

interface Known {
  readonly record: TokenRecord;
  readonly holder: Holder;
}

/**
 * The owner's token and those of the workspace's file, which is looked at whenever it is asked for: what it says
 * now holds. Of tokens only their digests are kept, so that the time a look-up takes tells nothing of them.
 */
export class Tokens implements AccessKeys {
  readonly owner: Holder = { name: OWNER, rights: FULL_RIGHTS };
  readonly #file: string;
  readonly #ownerDigest: string;
  readonly #log: Service["log"];
  #stamp: string | undefined;
  /** By digest. */
  #known = new Map<string, Known>();
  #damage: TokensDamage | undefined;

  readonly #protection: Protection;

  constructor(file: string, ownerToken: string, log: Service["log"], protection = new Protection()) {
    this.#protection = protection;
    this.#file = file;
    this.#ownerDigest = digestOf(ownerToken);
    this.#log = log;
    this.#look(false);
  }

  find(token: string): Holder | undefined {
    this.#look();
    const digest = digestOf(token);
    return digest === this.#ownerDigest ? this.owner : this.#known.get(digest)?.holder;
  }

  holds(holder: Holder): boolean {
    if (holder === this.owner) return true;
    this.#look();
    for (const known of this.#known.values()) if (known.holder === holder) return true;
    return false;
  }

  /** What names a holder's token for as long as there is that token, restarts included. */
  nameOf(holder: Holder): string {
    if (holder === this.owner) return OWNER;
    for (const [digest, known] of this.#known) if (known.holder === holder) return digest;
    throw new RangeError(`${holder.name} holds no token of this workspace`);
  }

  /** Whose token was named so; undefined once it is revoked. */
  named(name: string): Holder | undefined {
    if (name === OWNER) return this.owner;
    this.#look();
    return this.#known.get(name)?.holder;
  }

  get damage(): TokensDamage | undefined {
    this.#look();
    return this.#damage;
  }

  /** Reads the file again if it is not the one that was read last. */
  #look(tell = true): void {
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    const before = this.#known;
    try {
      this.#known = this.#read();
      this.#damage = undefined;
    } catch (error) {
      if (!(error instanceof TokensError)) throw error;
      this.#known = new Map();
      const { kind, message } = error;
      this.#damage = { kind, message, since: new Date() };
      this.#log("error", `tokens.${kind}`, { reason: message });
      return;
    }
    if (tell) this.#tell(before);
  }

  #read(): Map<string, Known> {
    return new Map(
      readTokens(this.#file).map((record) => {
        const known = this.#known.get(record.sha256);
        const same = known !== undefined && JSON.stringify(known.record) === JSON.stringify(record);
        const holder = { name: record.name, rights: new Rights(record.rules, this.#protection) };
        return [record.sha256, same ? known : { record, holder }];
      }),
    );
  }

  #tell(before: ReadonlyMap<string, Known>): void {
    const now = new Set(this.#known.values());
    const then = new Set(before.values());
    for (const known of then) if (!now.has(known)) this.#log("info", "token.revoked", about(known));
    for (const known of now)
      if (!then.has(known))
        this.#log("info", "token.added", { ...about(known), allow: known.record.rules.map(showRule) });
  }

  #stampNow(): string {
    try {
      const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return "none";
      const { dev, ino, size, mtimeNs, ctimeNs } = stats;
      return [dev, ino, size, mtimeNs, ctimeNs].join(":");
    } catch (error) {
      return String(error); // it cannot be reached, which reading it tells of
    }
  }
}

function about({ holder }: Known): { token: string } {
  return { token: holder.name };
}
