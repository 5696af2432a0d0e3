import { describe, expect, test } from "vitest";
import { packer } from "../../src/link/base/packing.ts";
import type { Sealer } from "../../src/link/members/sealer.ts";
import { encodeMessage } from "../../src/link/messages/message.ts";
import { Inbox } from "../../src/link/receiving/inbox.ts";
import { Patience } from "../../src/link/receiving/patience.ts";
import { LinkState } from "../../src/link/state/link-state.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

const PLACE = { memory: "one", after: 1, mark: "1" };

/** An inbox of empty messages; `looksAtTheClock`, `writes` and `stores` are called as it does so. */
function inboxWith(hooks: {
  looksAtTheClock?: () => void;
  writes?: () => void;
  stores?: (state: LinkState) => void;
}) {
  const clock = new FakeClock();
  const state = new LinkState(new MemoryStore(), (machine) => machine);
  const sealer = { machine: "ada", open: (_machine: string, _number: number, bytes: Uint8Array) => bytes };
  const elapsed = () => {
    hooks.looksAtTheClock?.();
    return clock.elapsed();
  };
  const inbox = new Inbox({
    state,
    sealer: sealer as unknown as Sealer,
    applier: {
      apply: async () => {},
      durable: async () => hooks.stores?.(state),
      write: () => hooks.writes?.(),
    } as never,
    places: { settleLater() {} },
    patience: new Patience(clock),
    clock: { elapsed, now: () => clock.now(), sleep: (...given) => clock.sleep(...given) },
    large: async () => undefined,
    report() {},
  });
  const empty = encodeMessage({ after: {}, items: [] });
  const take = (number: number, machine = "bob", bytes = empty) =>
    inbox.take({ machine, number, bytes, place: PLACE });
  return { inbox, state, take };
}

describe("[MA142] a message that comes as the inbox ends its work is applied at once", () => {
  test("after it found no message that is ready", async () => {
    let looks = 0;
    const { inbox, state, take } = inboxWith({
      looksAtTheClock: () => void (++looks === 6 && queueMicrotask(() => take(2))),
    });
    take(1);
    await inbox.settled();
    expect(looks).toBeGreaterThan(6);
    expect(state.standing.received).toEqual({ bob: 2 });
  });

  test("after it wrote the files", async () => {
    let writes = 0;
    const { inbox, state, take } = inboxWith({
      writes: () => void (++writes === 2 && queueMicrotask(() => take(2))),
    });
    take(1);
    await inbox.settled();
    expect(state.standing.received).toEqual({ bob: 2 });
  });
});

test("[MA153] later messages that a snapshot brings while a message is stored stay received", async () => {
  const { inbox, state, take } = inboxWith({
    stores: (standing) => standing.stand({ received: { bob: 4 } }),
  });
  take(1);
  await inbox.settled();
  expect(state.standing.received).toEqual({ bob: 4 });
});

describe("[MA172] messages in a log that wait for one that never comes", () => {
  const MANY = 200_000;
  const large = packer.encode({ after: {}, items: [], more: "x".repeat(1 << 20) });

  test("delay no other log, however many they are", async () => {
    const { inbox, state, take } = inboxWith({});
    for (let i = 0; i < MANY; i++) take(i + 2, "cem");
    take(1);
    await inbox.settled();
    expect(state.standing.received).toEqual({ bob: 1 });
    expect(inbox.size).toBeLessThan(MANY / 2);
    expect(inbox.needs).toEqual({ cem: 1 });
  });

  test("fill no memory, and the ones that were left out are asked for", async () => {
    const { inbox, state, take } = inboxWith({});
    for (let i = 2; i <= 1_000; i++) take(i, "bob", large);
    await inbox.settled();
    expect(inbox.size).toBeLessThan(100);
    const { size } = inbox;
    take(1);
    await inbox.settled();
    expect(state.standing.received).toEqual({ bob: size + 1 });
    expect(inbox.needs).toEqual({ bob: size + 2 });
  });

  test("messages whose turn it is are taken in, however large they are", async () => {
    const { inbox, state, take } = inboxWith({});
    for (let i = 1; i <= 100; i++) take(i, "bob", large);
    await inbox.settled();
    expect(state.standing.received).toEqual({ bob: 100 });
  });
});
