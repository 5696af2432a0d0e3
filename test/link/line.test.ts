import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Keys } from "../../src/link/members/keys.ts";
import { parseLine, shareLine } from "../../src/link/members/line.ts";
import { foundWorkspace, invite, type Owner } from "../../src/link/members/owner.ts";
import { newPair, signed } from "../../src/link/members/signing.ts";
import { everywhere, reasonOf, unwrapped } from "./shared-workspace.ts";

const BROKER = "nats://broker.example:4222";
const { owner, keys: first } = foundWorkspace();
const keys = new Keys(owner.workspace, first);
const EXPIRES = 1_000_000;
const invitation = invite(owner, everywhere("write"), EXPIRES);
const line = shareLine(owner, BROKER, keys, invitation);
const read = (text: string, now = 0) => parseLine(text, now);

/** Returns a line with any content, with a right length and checksum. */
function lineOf(content: unknown): string {
  const body = deflateRawSync(JSON.stringify(content));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  const check = createHash("sha256").update("spliced1.").update(length).update(body).digest().subarray(0, 4);
  return `spliced1.${Buffer.concat([length, body, check]).toString("base64url")}`;
}

const content = {
  workspace: owner.workspace,
  broker: BROKER,
  keys: first,
  owner: owner.signing.public,
  invitation,
};

describe("a share line", () => {
  test("[MA53] brings everything that a machine needs to join", () => {
    expect(line).toMatch(/^spliced1\.[\w-]+$/);
    expect(unwrapped(read(line))).toEqual(content);
  });

  test("[MA53] has the key of the roster and of the newest epoch, and none between", () => {
    const later = keys.withNewEpoch().withNewEpoch();
    const shared = unwrapped(read(shareLine(owner, BROKER, later, invitation))).keys;
    expect(shared.map(({ epoch }) => epoch)).toEqual([0, 3]);
  });

  test("[MA54] is read with spaces and line breaks in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(line.length), { maxLength: 5 }),
        fc.constantFrom(" ", "\n", "\r\n  "),
        (cuts, gap) => {
          const ends = [0, ...cuts.sort((a, b) => a - b), line.length];
          const wrapped = ends
            .slice(1)
            .map((end, i) => line.slice(ends[i], end))
            .join(gap);
          expect(unwrapped(read(wrapped))).toEqual(content);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("[MA55] that lacks its end is cut, wherever it ends", () => {
    const reasons = Array.from({ length: line.length - 9 }, (_, i) => reasonOf(read(line.slice(0, 9 + i))));
    expect(new Set(reasons)).toEqual(new Set(["cut"]));
  });

  test("[MA55] with any other character in any place is refused", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 9, max: line.length - 1 }),
        fc.constantFrom(..."azAZ09-_+/=."),
        (at, other) => {
          fc.pre(line[at] !== other);
          const reason = reasonOf(read(line.slice(0, at) + other + line.slice(at + 1)));
          // The first characters are the length: with a larger one, the line seems cut.
          expect(at < 12 ? ["cut", "mistyped"] : ["mistyped"]).toContain(reason);
        },
      ),
    );
    expect(reasonOf(read(`${line}x`))).toBe("mistyped");
  });

  test("[MA55] of another version, or no line at all, is refused as such", () => {
    expect(reasonOf(read(line.replace("spliced1", "spliced2")))).toBe("version");
    expect(reasonOf(read("nats://broker.example"))).toBe("not_a_line");
    expect(reasonOf(read(""))).toBe("not_a_line");
  });

  test("[MA55] has expired at its time", () => {
    expect(reasonOf(read(line, EXPIRES - 1))).toBe("ok");
    expect(reasonOf(read(line, EXPIRES))).toBe("expired");
    const open = shareLine(owner, BROKER, keys, invite(owner, everywhere("read")));
    expect(reasonOf(read(open, Number.MAX_SAFE_INTEGER))).toBe("ok");
  });

  test("[MA55] is forged when its invitation is not the owner's, of this workspace, for its key", () => {
    const other: Owner = { ...foundWorkspace().owner, workspace: owner.workspace };
    const elsewhere: Owner = { ...foundWorkspace().owner, signing: owner.signing };
    const reasonWith = (changes: object) => reasonOf(read(lineOf({ ...content, ...changes })));
    expect(reasonWith({})).toBe("ok");
    expect(reasonWith({ invitation: invite(other, everywhere("admin")) })).toBe("forged");
    expect(reasonWith({ invitation: invite(elsewhere, everywhere("admin")) })).toBe("forged");
    expect(reasonWith({ invitation: { ...invitation, key: newPair("Ed25519") } })).toBe("forged");
    const raised = signed(
      "invitation",
      { ...JSON.parse(invitation.signed.text), rules: everywhere("admin") },
      other.signing,
    );
    expect(reasonWith({ invitation: { ...invitation, signed: raised } })).toBe("forged");
  });

  test("[MA55] that lacks a part, or has a wrong one, is malformed", () => {
    for (const name of Object.keys(content)) {
      expect(reasonOf(read(lineOf({ ...content, [name]: undefined })))).toBe("malformed");
      expect(reasonOf(read(lineOf({ ...content, [name]: "x" })))).toBe("malformed");
    }
    const halves = { ...invitation.key, secret: newPair("Ed25519").secret };
    expect(reasonOf(read(lineOf({ ...content, invitation: { ...invitation, key: halves } })))).toBe(
      "malformed",
    );
    expect(reasonOf(read(lineOf({ ...content, padding: " ".repeat(1 << 20) })))).toBe("malformed");
  });

  test("[MA55] never throws, whatever the text is", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.base64String().map((text) => `spliced1.${text}`),
      fc.jsonValue().map(lineOf),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(reasonOf(read(text))).not.toBe("ok");
      }),
    );
  });

  test("[MA56] has no name, password or token of the broker, and none is read", () => {
    for (const broker of [
      "nats://me:word@broker",
      "nats://token@broker",
      "nats://broker?auth=x",
      "nats://b#x",
      "broker",
      "file:///x",
    ]) {
      expect(() => shareLine(owner, broker, keys, invitation)).toThrow(TypeError);
      expect(reasonOf(read(lineOf({ ...content, broker })))).toBe("malformed");
    }
  });
});
