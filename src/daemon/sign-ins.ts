import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Holder, Service } from "../protocol/service.ts";
import { writeOwn } from "../state/own.ts";
import { readSealed, sealed } from "../state/seal.ts";
import type { SignIns } from "../transport/access.ts";
import { digestOf } from "./token-file.ts";
import type { Tokens } from "./tokens.ts";

/** How long a browser stays signed in, and how long an invitation can be taken up. */
const STAY_MS = 30 * 86_400_000;
const INVITATION_MS = 15 * 60_000;
/** Browsers that are remembered, and invitations; the oldest go first (I15). */
const KEPT = 100;

const recordSchema = z.strictObject({
  /** SHA-256 of what the cookie holds. */
  sha256: z.string(),
  /** The token that signed it in, as `Tokens.nameOf` has it. */
  token: z.string(),
  /** Milliseconds since the epoch. */
  until: z.int(),
});

type SignIn = z.infer<typeof recordSchema>;

interface Invitation {
  readonly holder: Holder;
  readonly until: number;
}

/**
 * Browsers that have traded a token, or an invitation, for a cookie. They stay signed in when the daemon is started
 * anew; what they may do is what their token allows, and ends with it. Of cookies only digests are kept.
 */
export class BrowserSignIns implements SignIns {
  readonly maxAgeSeconds = STAY_MS / 1000;
  readonly #file: string;
  readonly #tokens: Tokens;
  readonly #log: Service["log"];
  readonly #now: () => number;
  readonly #known: Map<string, SignIn>;
  /** By the digest of its key. */
  readonly #invitations = new Map<string, Invitation>();

  constructor(file: string, tokens: Tokens, log: Service["log"], now: () => number = Date.now) {
    this.#file = file;
    this.#tokens = tokens;
    this.#log = log;
    this.#now = now;
    this.#known = new Map(this.#read().map((record) => [record.sha256, record]));
  }

  find(cookie: string): Holder | undefined {
    const found = this.#known.get(digestOf(cookie));
    return found === undefined || found.until < this.#now() ? undefined : this.#tokens.named(found.token);
  }

  begin(holder: Holder): string {
    const cookie = randomBytes(32).toString("base64url");
    const sha256 = digestOf(cookie);
    this.#known.set(sha256, { sha256, token: this.#tokens.nameOf(holder), until: this.#now() + STAY_MS });
    this.#tidy(this.#known);
    this.#write();
    return cookie;
  }

  end(cookie: string): void {
    if (this.#known.delete(digestOf(cookie))) this.#write();
  }

  invite(holder: Holder): string {
    const key = randomBytes(24).toString("base64url");
    this.#invitations.set(digestOf(key), { holder, until: this.#now() + INVITATION_MS });
    this.#tidy(this.#invitations);
    return key;
  }

  accept(key: string): Holder | undefined {
    const digest = digestOf(key);
    const found = this.#invitations.get(digest);
    this.#invitations.delete(digest);
    return found !== undefined && found.until >= this.#now() && this.#tokens.holds(found.holder)
      ? found.holder
      : undefined;
  }

  #tidy(kept: Map<string, { readonly until: number }>): void {
    for (const [digest, { until }] of kept) if (until < this.#now() || kept.size > KEPT) kept.delete(digest);
  }

  #read(): readonly SignIn[] {
    try {
      const read = readSealed(this.#file);
      if (read?.genuine) return z.array(recordSchema).parse(read.content);
      // What this user's daemon did not write in this folder counts for nothing.
      if (read !== undefined)
        this.#log("warn", "sign_ins.foreign", { reason: "browsers have to sign in again" });
    } catch (error) {
      this.#log("warn", "sign_ins.damaged", { reason: `browsers have to sign in again: ${error}` });
    }
    return [];
  }

  #write(): void {
    try {
      writeOwn(this.#file, sealed(this.#file, [...this.#known.values()]));
    } catch (error) {
      // They count until the daemon ends, which is what the disk allows.
      this.#log("warn", "sign_ins.not_kept", { reason: String(error) });
    }
  }
}
