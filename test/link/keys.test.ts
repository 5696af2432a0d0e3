import { describe, expect, test } from "vitest";
import { Keys, newEpochKey } from "../../src/link/members/keys.ts";
import { invite, nextRecord } from "../../src/link/members/owner.ts";
import type { MembersRecord } from "../../src/link/members/records.ts";
import { everywhere, type Machine, reasonOf, SharedWorkspace, unwrapped } from "./shared-workspace.ts";

const payload = Buffer.from("words");

/** Seals as one machine in its newest epoch, and opens as another. */
function reading(reader: Machine, sender: Machine, number = 1): string {
  const bytes = sender.sealer.seal(number, payload);
  return reasonOf(reader.sealer.open(sender.identity.id, number, bytes));
}

describe("an epoch", () => {
  test("[MA64] begins with a removal, and only who stays learns its key", () => {
    const shared = new SharedWorkspace();
    const [stays, goes] = [shared.join(), shared.join()];
    const record = shared.publish({ removed: [{ machine: goes.identity.id, after: 4 }] });
    expect([shared.first, stays, goes].map(({ keys }) => keys.newest)).toEqual([2, 2, 1]);
    expect([reading(stays, shared.first), reading(goes, shared.first)]).toEqual(["ok", "unknown_epoch"]);
    const { epoch } = JSON.parse(record.text) as MembersRecord;
    expect(epoch.keys.map(({ machine }) => machine)).toEqual([shared.first.identity.id, stays.identity.id]);
    expect(reasonOf(goes.keys.learn(epoch, goes.identity))).toBe("not_given");
    // What was sealed to another machine does not open for the one that went, under any name.
    const stolen = {
      ...epoch,
      keys: epoch.keys.map(({ sealed }) => ({ machine: goes.identity.id, sealed })),
    };
    expect(reasonOf(goes.keys.learn(stolen, goes.identity))).toBe("wrong_key");
    expect(reasonOf(goes.keys.learn(stolen, { ...goes.identity, id: stays.identity.id }))).toBe("not_given");
  });

  test("[MA64] begins with a retired invitation, and does not with other changes", () => {
    const shared = new SharedWorkspace();
    const invitation = invite(shared.owner, everywhere("write"));
    const { identity, keys } = shared.joinWith(invitation);
    shared.publish({ rules: [{ machine: identity.id, after: 0, rules: everywhere("read") }] });
    expect(keys.newest).toBe(1);
    shared.publish({ retired: [invitation.key.public] });
    expect(keys.newest).toBe(2);
    shared.publish({ retired: [invitation.key.public] });
    expect(keys.newest).toBe(2);
  });

  test("[MA65] that is past stays readable, also to a machine that missed epochs or joined later", () => {
    const shared = new SharedWorkspace();
    const [away, one, two] = [shared.join(), shared.join(), shared.join()];
    const old = one.sealer.seal(3, payload);
    shared.machines.splice(shared.machines.indexOf(away), 1);
    shared.publish({ removed: [{ machine: one.identity.id, after: 3 }] });
    const middle = two.sealer.seal(8, payload);
    const last = shared.publish({ removed: [{ machine: two.identity.id, after: 8 }] });
    shared.machines.push(away);
    expect(unwrapped(away.keys.learn(unwrapped(away.members.take(last)).epoch, away.identity))).toBe(3);
    const late = shared.join();
    expect(reasonOf(late.sealer.open(one.identity.id, 3, old))).toBe("unknown_epoch");
    shared.publish();
    for (const { sealer } of [away, late]) {
      expect(sealer.open(one.identity.id, 3, old)).toEqual(payload);
      expect(sealer.open(two.identity.id, 8, middle)).toEqual(payload);
    }
    expect(late.keys.all).toHaveLength(4);
    expect(reading(away, shared.first)).toBe("ok");
  });

  test("[MA64] of a record that does not open is not learned, and no key is replaced", () => {
    const shared = new SharedWorkspace();
    const { keys, identity, members } = shared.join();
    const before = keys.all;
    const { workspace } = shared.owner;
    // The owner's machine lost its keys and made others.
    const other = new Keys(workspace, [newEpochKey(0), newEpochKey(1)]);
    const { epoch } = JSON.parse(
      nextRecord(shared.owner, members, other.withNewEpoch()).text,
    ) as MembersRecord;
    expect(reasonOf(keys.learn(epoch, identity))).toBe("wrong_key");
    const sound = JSON.parse(
      nextRecord(shared.owner, members, shared.first.keys.withNewEpoch()).text,
    ) as MembersRecord;
    const own = sound.epoch.keys.map((one) => ({ ...one, sealed: "" }));
    expect(reasonOf(keys.learn({ ...sound.epoch, keys: own }, identity))).toBe("wrong_key");
    expect(reasonOf(keys.learn({ ...sound.epoch, earlier: [] }, identity))).toBe("wrong_key");
    expect(keys.all).toEqual(before);
    expect(reasonOf(keys.learn(sound.epoch, identity))).toBe("ok");
  });

  test("[MA64] has a key that is kept and read again", () => {
    const shared = new SharedWorkspace();
    shared.publish({ removed: [{ machine: shared.join().identity.id, after: 0 }] });
    const kept = JSON.parse(JSON.stringify(shared.first.keys.all));
    const read = new Keys(shared.owner.workspace, kept);
    expect([0, 1, 2].map((epoch) => read.at(epoch))).toEqual(
      [0, 1, 2].map((epoch) => shared.first.keys.at(epoch)),
    );
  });
});
