import { expect, test } from "vitest";
import { ChangeSet } from "../../src/lanes/change-set.ts";
import type { LaneParts } from "../../src/lanes/file/lane-host.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "../workspace/fakes.ts";

/** More microtasks than the end of a round takes. */
const MICROTASKS = Array.from({ length: 20 }, (_, microtasks) => microtasks);

test.each(MICROTASKS)(
  "[LV8] a change that comes %i microtasks after the files were listed is proposed, too",
  async (microtasks) => {
    const clock = new FakeClock();
    const { workspace } = onFakes(new FakeDisk(clock), new MemoryStore({ atOnce: false }), () => {}, clock);
    let rounds = 0;
    const set = new ChangeSet({ workspace } as LaneParts, {
      actor: () => undefined, // so that a round does nothing but list the files
      record: () => expect.fail("a round asked for the record"),
      note() {},
      store: async () => {},
      offered: async () => [],
      proposed: async () => {
        if (rounds++ === 0) void changesLater();
        return [];
      },
    });
    const changesLater = async () => {
      for (let i = 0; i < microtasks; i++) await undefined;
      set.changed();
    };
    set.changed();
    for (let i = 0; i < 3; i++) {
      await clock.advance(500);
      await drained();
    }
    expect(rounds).toBe(2);
  },
);
