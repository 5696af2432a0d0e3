import { randomBytes } from "node:crypto";
import type { Holder, Service } from "../protocol/service.ts";
import type { Pass, SignIns } from "../transport/access.ts";
import { readSignIns, type SignIn, writeSignIns } from "./sign-in-file.ts";
import { digestOf } from "./token-file.ts";
import type { Tokens } from "./tokens.ts";

/** How long a browser stays signed in, and how long an invitation can be taken up. */
const STAY_MS = 30 * 86_400_000;
const INVITATION_MS = 15 * 60_000;
/** Browsers that one token signs in, and invitations that wait; its own oldest gives way, nobody else's (I15). */
export const SIGN_INS_PER_TOKEN = 20;
export const INVITATIONS_PER_TOKEN = 20;

/** What a token has, until it is over. */
type Lasting = Pick<SignIn, "token" | "until">;

interface Invitation extends Lasting {
  readonly holder: Holder;
}

/**
 * Browsers that have traded a token, or an invitation, for a pass. They stay signed in when the daemon is started
 * anew; what they may do is what their token allows, and ends with it. Of passes only digests are kept.
 */
export class BrowserSignIns implements SignIns {
  readonly maxAgeSeconds = STAY_MS / 1000;
  readonly #file: string;
  readonly #tokens: Tokens;
  readonly #log: Service["log"];
  readonly #now: () => number;
  /** By the digest of its cookie; the oldest first. */
  readonly #known: Map<string, SignIn>;
  /** By the digest of its key; the oldest first. */
  readonly #invitations = new Map<string, Invitation>();

  constructor(file: string, tokens: Tokens, log: Service["log"], now: () => number = Date.now) {
    this.#file = file;
    this.#tokens = tokens;
    this.#log = log;
    this.#now = now;
    this.#known = new Map(this.#read().map((record) => [record.sha256, record]));
  }

  find(pass: Pass): Holder | undefined {
    const found = this.#recordOf(pass);
    return found === undefined ? undefined : this.#tokens.named(found.token);
  }

  begin(holder: Holder, had: Pass | undefined): Pass {
    const token = this.#tokens.nameOf(holder);
    const before = had === undefined ? undefined : this.#recordOf(had);
    if (before !== undefined) this.#known.delete(before.sha256);
    const pass = had !== undefined && before?.token === token ? had : newPass();
    const record = { ...digestsOf(pass), token, until: this.#now() + STAY_MS };
    this.#known.set(record.sha256, record);
    this.#tidy(this.#known, token, SIGN_INS_PER_TOKEN);
    this.#write();
    return pass;
  }

  end(pass: Pass): void {
    const found = this.#recordOf(pass);
    if (found !== undefined && this.#known.delete(found.sha256)) this.#write();
  }

  invite(holder: Holder): string {
    const token = this.#tokens.nameOf(holder);
    const key = randomBytes(24).toString("base64url");
    this.#invitations.set(digestOf(key), { holder, token, until: this.#now() + INVITATION_MS });
    this.#tidy(this.#invitations, token, INVITATIONS_PER_TOKEN);
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
    const found = this.#known.get(sha256);
    return found?.secretSha256 === secretSha256 && found.until >= this.#now() ? found : undefined;
  }

  /** Forgets what is over, what is of no token any more, and the oldest of a token that has more than its share. */
  #tidy(kept: Map<string, Lasting>, token: string, most: number): void {
    for (const [digest, one] of kept)
      if (one.until < this.#now() || this.#isRevoked(one.token)) kept.delete(digest);
    const own = [...kept].filter(([, one]) => one.token === token);
    for (const [digest] of own.slice(0, Math.max(0, own.length - most))) kept.delete(digest);
  }

  /** While the file of tokens is damaged, it is not known which there are. */
  #isRevoked(token: string): boolean {
    return this.#tokens.named(token) === undefined && this.#tokens.damage === undefined;
  }

  #read(): readonly SignIn[] {
    try {
      const read = readSignIns(this.#file);
      if (read !== "foreign") return read;
      // What this user's daemon did not write in this folder counts for nothing.
      this.#log("warn", "sign_ins.foreign", { reason: "browsers have to sign in again" });
    } catch (error) {
      this.#log("warn", "sign_ins.damaged", { reason: `browsers have to sign in again: ${error}` });
    }
    return [];
  }

  #write(): void {
    try {
      writeSignIns(this.#file, [...this.#known.values()]);
    } catch (error) {
      // They count until the daemon ends, which is what the disk allows.
      this.#log("warn", "sign_ins.not_kept", { reason: String(error) });
    }
  }
}

function newPass(): Pass {
  return { cookie: randomBytes(32).toString("base64url"), secret: randomBytes(32).toString("base64url") };
}

/** Of both only digests are looked up and compared, so that the time it takes tells nothing of them. */
function digestsOf({ cookie, secret }: Pass): Pick<SignIn, "sha256" | "secretSha256"> {
  return { sha256: digestOf(cookie), secretSha256: digestOf(secret) };
}
