import { randomBytes } from "node:crypto";
import type { Holder, Service } from "../../protocol/service/service.ts";
import type { Pass, SignIns } from "../../transport/access.ts";
import { readSignIns, type SignIn, writeSignIns } from "./sign-in-file.ts";
import { digestOf } from "./token-file.ts";
import type { Tokens } from "./tokens.ts";

/** The time that a browser stays signed in. */
const SIGN_IN_MS = 30 * 86_400_000;
/** The time in which an invitation can be used. */
const INVITATION_MS = 15 * 60_000;
/** The most browsers and open invitations of one token. One more replaces the token's own oldest (I15). */
export const SIGN_INS_PER_TOKEN = 20;
export const INVITATIONS_PER_TOKEN = 20;

/** A sign-in or an invitation of a token, with the time at which it expires. */
type Expiring = Pick<SignIn, "token" | "until">;

interface Invitation extends Expiring {
  readonly holder: Holder;
}

/**
 * The browsers that are signed in, each with the rights of its token, until the token is revoked. Sign-ins survive a
 * restart of the daemon. Only digests of passes are stored.
 */
export class BrowserSignIns implements SignIns {
  readonly maxAgeSeconds = SIGN_IN_MS / 1000;
  readonly #file: string;
  readonly #tokens: Tokens;
  readonly #log: Service["log"];
  readonly #now: () => number;
  /** By the digest of the cookie; the oldest first. */
  readonly #signIns: Map<string, SignIn>;
  /** By the digest of the key; the oldest first. */
  readonly #invitations = new Map<string, Invitation>();

  constructor(file: string, tokens: Tokens, log: Service["log"], now: () => number = Date.now) {
    this.#file = file;
    this.#tokens = tokens;
    this.#log = log;
    this.#now = now;
    this.#signIns = new Map(this.#read().map((record) => [record.sha256, record]));
  }

  find(pass: Pass): Holder | undefined {
    const found = this.#recordOf(pass);
    return found === undefined ? undefined : this.#tokens.holderOf(found.token);
  }

  begin(holder: Holder, previous: Pass | undefined): Pass {
    const token = this.#tokens.idOf(holder);
    const before = previous === undefined ? undefined : this.#recordOf(previous);
    if (before !== undefined) this.#signIns.delete(before.sha256);
    const pass = previous !== undefined && before?.token === token ? previous : newPass();
    const record = { ...digestsOf(pass), token, until: this.#now() + SIGN_IN_MS };
    this.#signIns.set(record.sha256, record);
    this.#prune(this.#signIns, token, SIGN_INS_PER_TOKEN);
    this.#write();
    return pass;
  }

  end(pass: Pass): void {
    const found = this.#recordOf(pass);
    if (found !== undefined && this.#signIns.delete(found.sha256)) this.#write();
  }

  invite(holder: Holder): string {
    const token = this.#tokens.idOf(holder);
    const key = randomBytes(24).toString("base64url");
    this.#invitations.set(digestOf(key), { holder, token, until: this.#now() + INVITATION_MS });
    this.#prune(this.#invitations, token, INVITATIONS_PER_TOKEN);
    return key;
  }

  invited(key: string): Holder | undefined {
    const found = this.#invitations.get(digestOf(key));
    return found !== undefined && found.until >= this.#now() && this.#tokens.holds(found.holder)
      ? found.holder
      : undefined;
  }

  accept(key: string): Holder | undefined {
    const holder = this.invited(key);
    this.#invitations.delete(digestOf(key));
    return holder;
  }

  #recordOf(pass: Pass): SignIn | undefined {
    const { sha256, secretSha256 } = digestsOf(pass);
    const found = this.#signIns.get(sha256);
    return found?.secretSha256 === secretSha256 && found.until >= this.#now() ? found : undefined;
  }

  /** Removes entries that expired or whose token is revoked, and the oldest of `token` beyond `most`. */
  #prune(entries: Map<string, Expiring>, token: string, most: number): void {
    for (const [digest, entry] of entries)
      if (entry.until < this.#now() || this.#isRevoked(entry.token)) entries.delete(digest);
    const own = [...entries].filter(([, entry]) => entry.token === token);
    for (const [digest] of own.slice(0, Math.max(0, own.length - most))) entries.delete(digest);
  }

  /** Returns whether a token is revoked. While the file of tokens is damaged, the daemon treats no token as revoked. */
  #isRevoked(token: string): boolean {
    return this.#tokens.holderOf(token) === undefined && this.#tokens.damage === undefined;
  }

  #read(): readonly SignIn[] {
    try {
      const read = readSignIns(this.#file);
      if (read !== "foreign") return read;

      this.#log("warn", "sign_ins.foreign", { reason: "browsers have to sign in again" });
    } catch (error) {
      this.#log("warn", "sign_ins.damaged", { reason: `browsers have to sign in again: ${error}` });
    }
    return [];
  }

  #write(): void {
    try {
      writeSignIns(this.#file, [...this.#signIns.values()]);
    } catch (error) {
      // The sign-ins are valid until the daemon ends.
      this.#log("warn", "sign_ins.not_kept", { reason: String(error) });
    }
  }
}

function newPass(): Pass {
  return { cookie: randomBytes(32).toString("base64url"), secret: randomBytes(32).toString("base64url") };
}

/** Returns the digests of a pass. Comparing digests takes a time that reveals nothing about the pass. */
function digestsOf({ cookie, secret }: Pass): Pick<SignIn, "sha256" | "secretSha256"> {
  return { sha256: digestOf(cookie), secretSha256: digestOf(secret) };
}
