import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRefused } from "../../src/link/base/outcome.ts";
import { Keys, newEpochKey } from "../../src/link/members/keys.ts";
import type { Members } from "../../src/link/members/members.ts";
import { invite } from "../../src/link/members/owner.ts";
import { certify } from "../../src/link/members/records.ts";
import { MemberSealer, OVERHEAD } from "../../src/link/members/seal.ts";
import { everywhere, reasonOf, SharedWorkspace, unwrapped } from "./shared-workspace.ts";

const shared = new SharedWorkspace();
const sender = shared.join();
const reader = shared.join();
const machine = sender.identity.id;
const NUMBER = 41;
const at = { machine, number: NUMBER };
const open = (bytes: Uint8Array, address = at) =>
  reasonOf(reader.sealer.open(address.machine, address.number, bytes));

/** Payloads that compress, that do not, and short ones. */
const payloads = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.tuple(fc.string({ maxLength: 20 }), fc.nat(500)).map(([part, times]) => Buffer.from(part.repeat(times))),
);
const numbers = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 48 - 1));

/** Returns the reason for which an envelope with a changed byte at a place is refused. */
function reasonAt(place: number): string {
  if (place < 1) return "version";
  if (place < 2) return "forged";
  if (place < 6) return "cut";
  if (place < 10) return "forged";
  if (place < 16) return "misplaced";
  if (place < 32) return "foreign";
  return place < 48 ? "misplaced" : "forged";
}

describe("an envelope", () => {
  test("[MA66] opens at each member as it was sealed, with a constant overhead", () => {
    fc.assert(
      fc.property(payloads, numbers, (payload, number) => {
        const bytes = sender.sealer.seal(number, payload);
        expect(bytes.length).toBeLessThanOrEqual(payload.length + OVERHEAD);
        if (payload.length <= 256) expect(bytes.length).toBe(payload.length + OVERHEAD);
        for (const { sealer } of [shared.first, reader, sender]) {
          const opened = unwrapped(sealer.open(machine, number, bytes));
          expect(opened.equals(payload)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
    expect(OVERHEAD).toBe(140);
  });

  test("[MA66] of a long payload that compresses is shorter than the payload", () => {
    expect(sender.sealer.seal(NUMBER, Buffer.from("word ".repeat(1000))).length).toBeLessThan(500);
  });

  test("[MA67] with any changed bit is refused, with the reason of its place", () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.nat(7), (payload, any, bit) => {
        const bytes = sender.sealer.seal(NUMBER, payload);
        const place = any % bytes.length;
        bytes[place]! ^= 1 << bit;
        expect(open(bytes)).toBe(reasonAt(place));
      }),
    );
    const short = sender.sealer.seal(NUMBER, Buffer.from("x"));
    for (let place = 0; place < short.length; place++) {
      const changed = Buffer.from(short);
      changed[place]! ^= 0x10;
      expect([place, open(changed)]).toEqual([place, reasonAt(place)]);
    }
  });

  test("[MA67] that is cut, or has more at its end, is refused as cut", () => {
    const bytes = sender.sealer.seal(NUMBER, Buffer.from("a few words"));
    const lengths = Array.from({ length: bytes.length }, (_, i) => open(bytes.subarray(0, i)));
    expect(new Set(lengths)).toEqual(new Set(["cut"]));
    expect(open(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe("cut");
  });

  test("[MA67] at another number, of another machine, or in another workspace is refused", () => {
    const bytes = sender.sealer.seal(NUMBER, Buffer.from("x"));
    expect(open(bytes, { machine, number: NUMBER + 1 })).toBe("misplaced");
    expect(open(bytes, { machine, number: 0 })).toBe("misplaced");
    expect(open(bytes, { machine: shared.first.identity.id, number: NUMBER })).toBe("misplaced");
    expect(reasonOf(new SharedWorkspace().first.sealer.open(machine, NUMBER, bytes))).toBe("foreign");
  });

  test("[MA67] whose header was changed to its new place is forged", () => {
    const bytes = sender.sealer.seal(NUMBER, Buffer.from("x"));
    const moved = Buffer.from(bytes);
    moved.writeUIntBE(NUMBER + 1, 10, 6);
    expect(open(moved, { machine, number: NUMBER + 1 })).toBe("forged");
    const other = shared.first.identity.id;
    const passed = Buffer.from(bytes);
    passed.write(other.slice(2), 32, "latin1");
    expect(open(passed, { machine: other, number: NUMBER })).toBe("forged");
  });

  test("[MA67] of a machine that nobody certified is refused, also when it has all keys", () => {
    const stranger = shared.stranger();
    const { id } = stranger.identity;
    const bytes = stranger.sealer.seal(1, Buffer.from("x"));
    expect(open(bytes, { machine: id, number: 1 })).toBe("unknown_machine");
    // A member's name with a stranger's key.
    const posing = new MemberSealer({
      ...stranger,
      identity: { id: machine, signing: stranger.identity.signing },
    });
    expect(open(posing.seal(NUMBER, Buffer.from("x")))).toBe("forged");
  });

  test("[MA67] of an epoch without a key, or with another key than its epoch's, is refused", () => {
    const { workspace } = shared.owner;
    const later = new Keys(workspace, sender.keys.all).withNewEpoch();
    const wrong = new Keys(workspace, [newEpochKey(0), newEpochKey(1)]);
    const sealedWith = (keys: Keys) => new MemberSealer({ ...sender, keys }).seal(NUMBER, Buffer.from("x"));
    expect(open(sealedWith(later))).toBe("unknown_epoch");
    expect(open(sealedWith(wrong))).toBe("wrong_key");
  });

  test("[MA61] of a removed machine opens up to the number of its removal", () => {
    const workspace = new SharedWorkspace();
    const [gone, other] = [workspace.join(), workspace.join()];
    const { id } = gone.identity;
    const sealed = [7, 8, 0].map((number) => ({ number, bytes: gone.sealer.seal(number, Buffer.from("x")) }));
    const reasons = () => sealed.map(({ number, bytes }) => reasonOf(other.sealer.open(id, number, bytes)));
    expect(reasons()).toEqual(["ok", "ok", "ok"]);
    workspace.publish({ removed: [{ machine: id, after: 7 }] });
    expect(reasons()).toEqual(["ok", "removed", "removed"]);
  });

  test("[MA68] of any bytes is opened or refused, and never throws", () => {
    const bytes = sender.sealer.seal(NUMBER, Buffer.from("a few words"));
    const spoilt = fc
      .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 })
      .map((changes) => {
        const copy = Buffer.from(bytes);
        for (const [place, value] of changes) copy[place] = value;
        return copy;
      });
    const any = fc.oneof(fc.uint8Array({ maxLength: 400 }), spoilt);
    const place = fc.oneof(fc.constant(at), fc.record({ machine: fc.string(), number: fc.double() }));
    fc.assert(
      fc.property(any, place, (data, address) => {
        const isSame = bytes.equals(data) && address === at;
        expect(open(data, address) === "ok").toBe(isSame);
        expect(reasonOf(reader.sealer.openRoster(address.machine, data))).not.toBe("ok");
      }),
      { numRuns: 1000 },
    );
  });

  test("[MA69] is bounded, and so is what it inflates to", () => {
    const small = new SharedWorkspace();
    const large = small.join();
    const bounded = small.join(everywhere("write"), 5000);
    const { id } = large.identity;
    const reasonFor = (payload: Uint8Array) =>
      reasonOf(bounded.sealer.open(id, 1, large.sealer.seal(1, payload)));
    const random = fc.sample(fc.uint8Array({ minLength: 5001, maxLength: 5001 }), 1)[0]!;
    expect(reasonFor(random)).toBe("oversized");
    expect(reasonFor(random.subarray(1))).toBe("ok");
    expect(reasonFor(Buffer.alloc(5001))).toBe("oversized");
    expect(reasonFor(Buffer.alloc(5000))).toBe("ok");
    expect(() => bounded.sealer.seal(1, Buffer.alloc(5001))).toThrow(RangeError);
    expect(() => bounded.sealer.seal(2 ** 48, Buffer.alloc(1))).toThrow(RangeError);
    expect(() => bounded.sealer.seal(-1, Buffer.alloc(1))).toThrow(RangeError);
  });

  test("[MA70] shows nothing of its payload, and no two are alike", () => {
    const payload = Buffer.from("a secret of some length");
    const envelopes = Array.from({ length: 50 }, () => sender.sealer.seal(0, payload));
    expect(new Set(envelopes.map((bytes) => bytes.toString("latin1", 48))).size).toBe(50);
    // The encrypted bytes differ in more than the nonce: a repeated key stream would repeat them.
    expect(new Set(envelopes.map((bytes) => bytes.toString("latin1", 60, 60 + payload.length))).size).toBe(
      50,
    );
    expect(envelopes.some((bytes) => bytes.includes("secret"))).toBe(false);
  });
});

describe("an envelope for the roster", () => {
  const admitted = (members: Members, opened: ReturnType<MemberSealer["openRoster"]>) =>
    isRefused(opened) ? opened.refused : reasonOf(members.admit(opened.value));

  test("[MA71] brings the certificate of a machine, whose messages open from then on", () => {
    const stranger = shared.stranger();
    const { id, name } = stranger.identity;
    const message = stranger.sealer.seal(1, Buffer.from("x"));
    const bytes = stranger.sealer.sealRoster(stranger.certificate);
    expect(open(message, { machine: id, number: 1 })).toBe("unknown_machine");
    expect(bytes.includes(name)).toBe(false);
    expect(admitted(reader.members, reader.sealer.openRoster(id, bytes))).toBe("ok");
    expect(open(message, { machine: id, number: 1 })).toBe("ok");
    expect(reader.sealer.nameOf(id)).toBe(name);
    // It is no word, whose content only those who are not removed can read.
    expect(open(bytes, { machine: id, number: 0 })).toBe("malformed");
  });

  test("[MA71] opens in every epoch, for who joined late and for who knows nobody", () => {
    const workspace = new SharedWorkspace();
    const late = workspace.stranger();
    const record = workspace.publish({ removed: [{ machine: workspace.join().identity.id, after: 0 }] });
    const { sealer, identity, members, certificate } = workspace.first;
    expect([workspace.first.keys.newest, late.keys.newest]).toEqual([2, 1]);
    expect(
      admitted(members, sealer.openRoster(late.identity.id, late.sealer.sealRoster(late.certificate))),
    ).toBe("ok");
    expect(admitted(late.members, late.sealer.openRoster(identity.id, sealer.sealRoster(certificate)))).toBe(
      "ok",
    );
    const opened = unwrapped(late.sealer.openRoster(identity.id, sealer.sealRoster(record)));
    expect(reasonOf(late.members.take(opened.value))).toBe("ok");
  });

  test("[MA71] admits nobody without a proof", () => {
    const stranger = shared.stranger();
    const { workspace } = shared.owner;
    const opened = (bytes: Uint8Array) =>
      admitted(reader.members, reader.sealer.openRoster(stranger.identity.id, bytes));
    const other = { ...shared.owner, signing: new SharedWorkspace().owner.signing };
    const own = certify(stranger.identity, workspace, invite(other, everywhere("admin")));
    expect(opened(stranger.sealer.sealRoster(own))).toBe("forged");
    expect(opened(stranger.sealer.sealRoster(invite(shared.owner, []).signed))).toBe("malformed");
    expect(opened(stranger.sealer.seal(0, Buffer.from(JSON.stringify(stranger.certificate))))).toBe(
      "malformed",
    );
    const outsider = new MemberSealer({ ...stranger, keys: new Keys(workspace, [newEpochKey(0)]) });
    expect(opened(outsider.sealRoster(stranger.certificate))).toBe("wrong_key");
    expect(reader.members.machine(stranger.identity.id)).toBeUndefined();
  });
});

describe("what the engine asks", () => {
  test("[MA59, MA61] is who belongs to the workspace, and what each may read and write", () => {
    const workspace = new SharedWorkspace();
    const { sealer, identity } = workspace.first;
    const guest = workspace.join([
      { glob: "secret/**", level: "none" },
      { glob: "**", level: "propose" },
    ]).identity.id;
    const paths = ["a.md", "secret/a.md"];
    expect(paths.map((path) => [sealer.mayRead(guest, path), sealer.mayWrite(guest, path)])).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(sealer.mayWrite(identity.id, "a.md")).toBe(true);
    expect(sealer.mayRead("m_0000000000000000", "a.md")).toBe(false);
    expect(sealer.members).toEqual([identity.id, guest]);
    workspace.publish({ rules: [{ machine: guest, after: 3, rules: everywhere("write") }] });
    expect([3, 4].map((number) => sealer.mayWrite(guest, "a.md", number))).toEqual([false, true]);
    workspace.publish({ removed: [{ machine: guest, after: 4 }] });
    expect(sealer.mayWrite(guest, "a.md", 4)).toBe(true);
    expect(sealer.mayWrite(guest, "a.md")).toBe(false);
    expect(sealer.members).toEqual([identity.id]);
  });
});
