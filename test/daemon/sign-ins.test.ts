import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  BrowserSignIns,
  INVITATIONS_PER_TOKEN,
  SIGN_INS_PER_TOKEN,
} from "../../src/daemon/tokens/sign-ins.ts";
import { addToken, digestOf, revokeToken } from "../../src/daemon/tokens/token-file.ts";
import { Tokens } from "../../src/daemon/tokens/tokens.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import { readSealed, sealed } from "../../src/state/seal.ts";

const DAY_MS = 86_400_000;

let folder: string;
let tokens: Tokens;
let reader: Holder;
let now: number;
let logged: string[];

const file = () => join(folder, "sign-ins.json");
const log = (_level: string, event: string) => void logged.push(event);
/** Returns the sign-ins of a daemon that has just started. */
const started = () => new BrowserSignIns(file(), tokens, log, () => now);
const stored = () => readSealed(file())?.content as { token: string }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "spliced-sign-ins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  [now, logged] = [0, []];
  const added = await addToken(join(folder, "tokens.json"), "reader", [
    { glob: "**", level: "read", conflict: "merge" },
  ]);
  tokens = new Tokens(join(folder, "tokens.json"), "the owner's", log);
  reader = tokens.find(added)!;
});

describe("a sign-in", () => {
  test("[BR1] is valid with its cookie and its secret, also after a restart", () => {
    const { cookie, secret } = started().begin(tokens.owner, undefined);
    for (const signIns of [started(), started()]) {
      expect(signIns.find({ cookie, secret })).toBe(tokens.owner);
      expect(signIns.find({ cookie, secret: "guessed" })).toBeUndefined();
      expect(signIns.find({ cookie: "guessed", secret })).toBeUndefined();
    }
  });

  test("[BR1] is not valid with the secret of one and the cookie of another", () => {
    const signIns = started();
    const [one, other] = [signIns.begin(tokens.owner, undefined), signIns.begin(reader, undefined)];
    expect(signIns.find({ cookie: one.cookie, secret: other.secret })).toBeUndefined();
    signIns.end({ cookie: one.cookie, secret: other.secret });
    expect(signIns.find(one)).toBe(tokens.owner);
  });

  test("[BR9] is stored as digests in a file that only its owner can read", () => {
    const { cookie, secret } = started().begin(tokens.owner, undefined);
    const text = readFileSync(file(), "utf8");
    expect([text.includes(cookie), text.includes(secret)]).toEqual([false, false]);
    expect([text.includes(digestOf(cookie)), text.includes(digestOf(secret))]).toEqual([true, true]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("[BR2] without a secret, from an earlier version, is not valid; others in the file stay valid", () => {
    const { cookie, secret } = started().begin(tokens.owner, undefined);
    const old = { sha256: digestOf("old"), token: "owner", until: DAY_MS };
    writeFileSync(file(), sealed(file(), [old, ...stored()]));
    const signIns = started();
    for (const secret of ["", "undefined"]) expect(signIns.find({ cookie: "old", secret })).toBeUndefined();
    expect(signIns.find({ cookie, secret })).toBe(tokens.owner);
    expect(logged).toEqual([]);
  });

  test("[AC5] ends after 30 days, and with its token", async () => {
    const signIns = started();
    const [mine, theirs] = [signIns.begin(tokens.owner, undefined), signIns.begin(reader, undefined)];
    await revokeToken(join(folder, "tokens.json"), "reader");
    expect([signIns.find(mine), signIns.find(theirs)]).toEqual([tokens.owner, undefined]);
    now = 30 * DAY_MS + 1;
    expect(signIns.find(mine)).toBeUndefined();
  });

  test("[BR3] replaces the oldest of its own token, never one of another token", () => {
    const signIns = started();
    const owners = signIns.begin(tokens.owner, undefined);
    const readers = Array.from({ length: 5 * SIGN_INS_PER_TOKEN }, () => signIns.begin(reader, undefined));
    expect(signIns.find(owners)).toBe(tokens.owner);
    expect(readers.filter((pass) => signIns.find(pass))).toEqual(readers.slice(-SIGN_INS_PER_TOKEN));
    expect(stored()).toHaveLength(SIGN_INS_PER_TOKEN + 1);
  });

  test("[BR11] of a revoked token is removed at the next sign-in, unless the tokens are damaged", async () => {
    const signIns = started();
    const theirs = signIns.begin(reader, undefined);
    const tokensFile = join(folder, "tokens.json");
    const sound = readFileSync(tokensFile);
    writeFileSync(tokensFile, "{");
    signIns.begin(tokens.owner, undefined);
    expect(stored()).toHaveLength(2);
    writeFileSync(tokensFile, sound);
    expect(signIns.find(theirs)?.name).toBe("reader");
    await revokeToken(tokensFile, "reader");
    signIns.begin(tokens.owner, undefined);
    expect(stored().map(({ token }) => token)).toEqual(["owner", "owner"]);
  });

  test("[BR4] stays valid when its browser signs in with the same token, and becomes the newest", () => {
    const signIns = started();
    const first = signIns.begin(reader, undefined);
    for (let i = 1; i < SIGN_INS_PER_TOKEN; i++) signIns.begin(reader, undefined);
    now = DAY_MS;
    expect(signIns.begin(reader, first)).toEqual(first);
    signIns.begin(reader, undefined);
    now = 30 * DAY_MS + 1;
    expect(signIns.find(first)).toBe(reader);
    expect(stored()).toHaveLength(SIGN_INS_PER_TOKEN);
  });

  test("[BR12] ends when its browser signs in with another token", () => {
    const signIns = started();
    const first = signIns.begin(tokens.owner, undefined);
    const second = signIns.begin(reader, first);
    expect([signIns.find(first), signIns.find(second)]).toEqual([undefined, reader]);
  });
});

describe("an invitation", () => {
  test("[BR5] names its token any number of times, and signs in once", () => {
    const signIns = started();
    const key = signIns.invite(reader);
    expect([signIns.invited(key), signIns.invited(key)]).toEqual([reader, reader]);
    expect([signIns.accept(key), signIns.accept(key), signIns.invited(key)]).toEqual([
      reader,
      undefined,
      undefined,
    ]);
  });

  test("[AC4] is valid for 15 minutes", () => {
    const signIns = started();
    const key = signIns.invite(reader);
    now = 15 * 60_000 + 1;
    expect([signIns.invited(key), signIns.accept(key)]).toEqual([undefined, undefined]);
  });

  test("[BR3] replaces the oldest of its own token, never one of another token", () => {
    const signIns = started();
    const owners = signIns.invite(tokens.owner);
    const readers = Array.from({ length: 5 * INVITATIONS_PER_TOKEN }, () => signIns.invite(reader));
    expect(signIns.invited(owners)).toBe(tokens.owner);
    expect(readers.filter((key) => signIns.invited(key))).toEqual(readers.slice(-INVITATIONS_PER_TOKEN));
  });
});
