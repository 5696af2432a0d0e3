import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { copied, newIdentity, parseIdentity } from "../../src/link/members/identity.ts";
import { siteOf } from "../../src/state/site.ts";
import { SITE } from "./shared-workspace.ts";

describe("an identity", () => {
  const identity = newIdentity("desk", SITE);

  test("[MA50] is read as it was kept, and its id is of its signing key", () => {
    expect(identity.id).toMatch(/^m_[0-9a-z]{16}$/);
    expect(parseIdentity(JSON.parse(JSON.stringify(identity)))).toEqual(identity);
    expect(newIdentity("desk", SITE).id).not.toBe(identity.id);
  });

  test("[MA50] is refused with a part of another one", () => {
    const other = newIdentity("desk", SITE);
    const { signing, sealing } = identity;
    const problemOf = (changes: object) => parseIdentity({ ...identity, ...changes });
    expect(problemOf({ id: other.id })).toBe("id: it does not belong to the signing key");
    expect(problemOf({ signing: other.signing })).toBe("id: it does not belong to the signing key");
    expect(problemOf({ signing: { ...signing, secret: other.signing.secret } })).toMatch(
      /^signing: .*one pair/,
    );
    expect(problemOf({ sealing: { ...sealing, secret: other.sealing.secret } })).toMatch(
      /^sealing: .*one pair/,
    );
    expect(problemOf({ signing: { ...signing, secret: "AAAA" } })).toMatch(/^signing.secret: .*32 bytes/);
    expect(problemOf({ extra: 1 })).toMatch(/^the identity: /);
  });

  test("[MA50] of any form is read or refused, and never throws", () => {
    const part = fc.oneof(fc.constantFrom(...Object.values(identity)), fc.jsonValue());
    const any = fc.record({ id: part, name: part, signing: part, sealing: part, site: part });
    fc.assert(
      fc.property(fc.oneof(any, fc.anything()), (value) => {
        const read = parseIdentity(value);
        expect(typeof read === "string" || read.id === identity.id).toBe(true);
      }),
    );
  });

  test("[MA50] has a visible name, whatever the computer is called", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (host) => {
        const made = newIdentity(host, SITE);
        expect(parseIdentity(made)).toEqual(made);
      }),
      { numRuns: 50 },
    );
    expect(newIdentity("\u202e\n", SITE).name).toBe("machine");
  });
});

describe("a folder", () => {
  const at = mkdtempSync(join(tmpdir(), "spliced-site-"));
  const one = join(at, "one");
  afterEach(() => {
    rmSync(at, { recursive: true, force: true });
  });

  test("[MA51, MA52] is a copy after a copy, and none after a move", () => {
    mkdirSync(one, { recursive: true });
    const identity = newIdentity("desk", siteOf(one));
    const moved = join(at, "moved");
    expect(copied(identity, siteOf(one))).toBeUndefined();
    cpSync(one, join(at, "copy"), { recursive: true });
    expect(copied(identity, siteOf(join(at, "copy")))).toBe("folder");
    renameSync(one, moved);
    expect(copied(identity, siteOf(moved))).toBeUndefined();
  });

  test("[MA51] is a copy on another computer, whose id or name tells it", () => {
    mkdirSync(one, { recursive: true });
    const [id, other] = [join(at, "id"), join(at, "other")];
    writeFileSync(id, "4f3c\n");
    writeFileSync(other, "9a17\n");
    const identity = newIdentity("desk", siteOf(one, id));
    expect(copied(identity, siteOf(one, id))).toBeUndefined();
    expect(copied(identity, siteOf(one, other))).toBe("computer");
    expect(copied(identity, siteOf(one, join(at, "none")))).toBe("computer");
    expect(siteOf(one, id).host).not.toContain("4f3c");
  });

  test("[MA51, MA52] of another disk is a copy at another path, and the same folder after a boot at its own", () => {
    const identity = newIdentity("desk", SITE);
    expect(copied(identity, { ...SITE, device: "6" })).toBeUndefined();
    expect(copied(identity, { ...SITE, device: "6", path: "/image/.spliced" })).toBe("disk");
  });
});
