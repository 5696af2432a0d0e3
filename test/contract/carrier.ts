import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Carried, Carrier, CarrierListener, Place } from "../../src/link/carrier/carrier.ts";

/** A broker under test, and what can happen to it. The memory is changed only while the broker is stopped. */
export interface BrokerUnderTest {
  /** Returns a new carrier to the broker. */
  carrier(): Carrier;
  /** Ends the broker; what it acknowledged stays. */
  stop(): unknown;
  start(): unknown;
  wipe(): unknown;
  backup(): unknown;
  restore(): unknown;
  /** Waits until something holds. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** Waits for an answer. */
  answer<T>(asked: Promise<T>): Promise<T>;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array | undefined) => content && new TextDecoder().decode(content);

/** What a carrier told: messages as `machine number content`, words as `machine content`, states in order. */
class Heard implements CarrierListener {
  readonly carried: Carried[] = [];
  readonly words: string[] = [];
  readonly states: string[] = [];

  message(carried: Carried): void {
    this.carried.push(carried);
  }

  word(machine: string, content: Uint8Array): void {
    this.words.push(`${machine} ${text(content)}`);
  }

  connected(): void {
    this.states.push("connected");
  }

  away(): void {
    this.states.push("away");
  }

  get messages(): string[] {
    return this.carried.map(({ machine, number, bytes: content }) => `${machine} ${number} ${text(content)}`);
  }

  get here(): boolean {
    return this.states.at(-1) === "connected";
  }
}

/** The contract of every carrier. */
export function carrierContract(name: string, open: () => BrokerUnderTest | Promise<BrokerUnderTest>): void {
  describe(`${name} as a carrier`, () => {
    let broker: BrokerUnderTest;

    beforeEach(async () => {
      broker = await open();
    });

    /** Returns a started carrier and what it tells. */
    function begun(from?: Place): { carrier: Carrier; heard: Heard } {
      const carrier = broker.carrier();
      onTestFinished(() => carrier.close());
      const heard = new Heard();
      carrier.start(heard, from);
      return { carrier, heard };
    }

    /** Returns a carrier that has reached the broker. */
    async function connected(from?: Place) {
      const one = begun(from);
      await broker.until("connected", () => one.heard.here);
      return one;
    }

    async function publish(carrier: Carrier, machine: string, from: number, to: number, content = "m") {
      const sent: Promise<void>[] = [];
      for (let n = from; n <= to; n++) sent.push(carrier.publish(machine, n, bytes(`${content}${n}`)));
      await broker.answer(Promise.all(sent));
    }

    const come = (heard: Heard, count: number) =>
      broker.until(`${count} messages`, () => heard.carried.length >= count);
    const numbers = (heard: Heard) => heard.carried.map(({ number }) => number);

    async function restart(change: () => unknown): Promise<void> {
      await broker.stop();
      await change();
      await broker.start();
    }

    test("[CR1] delivers the messages of every machine's log in order, also to its sender", async () => {
      const a = await connected();
      const b = await connected();
      await publish(a.carrier, "ma", 1, 40);
      await publish(b.carrier, "mb", 1, 2);
      for (const { heard } of [a, b]) {
        await come(heard, 42);
        const logOf = (machine: string) => heard.messages.filter((message) => message.startsWith(machine));
        expect(logOf("ma")).toEqual(Array.from({ length: 40 }, (_, i) => `ma ${i + 1} m${i + 1}`));
        expect(logOf("mb")).toEqual(["mb 1 m1", "mb 2 m2"]);
      }
    });

    test("[CR1] delivers bytes as they are, none at all and as many as the broker takes", async () => {
      const { carrier, heard } = await connected();
      const sent = [
        Uint8Array.of(0, 255, 13, 10, 0),
        new Uint8Array(0),
        new Uint8Array(carrier.maxBytes).fill(7),
      ];
      for (const [i, content] of sent.entries()) await broker.answer(carrier.publish("ma", i + 1, content));
      await come(heard, 3);
      for (const [i, content] of sent.entries())
        expect(Buffer.compare(heard.carried[i]!.bytes, content)).toBe(0);
    });

    test("[CR2] delivers what it stored to a reader that comes later, and what follows", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 3);
      const b = await connected();
      await come(b.heard, 3);
      await publish(a.carrier, "ma", 4, 4);
      await come(b.heard, 4);
      expect(numbers(b.heard)).toEqual([1, 2, 3, 4]);
    });

    test("[CR3] delivers to a reader from a place only what follows it", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 5);
      await come(a.heard, 5);
      const b = await connected(a.heard.carried[2]!.place);
      await come(b.heard, 2);
      await publish(a.carrier, "ma", 6, 6);
      await come(b.heard, 3);
      expect(numbers(b.heard)).toEqual([4, 5, 6]);
    });

    test("[CR4] stores a number once that is published again soon", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 3);
      await publish(a.carrier, "ma", 1, 3);
      await publish(a.carrier, "ma", 4, 4);
      await come(a.heard, 4);
      expect(numbers(a.heard)).toEqual([1, 2, 3, 4]);
    });

    test("[CR5] tells the newest message of each log", async () => {
      const { carrier } = await connected();
      expect(await broker.answer(carrier.newest("ma"))).toBe(undefined);
      await publish(carrier, "ma", 1, 12);
      await publish(carrier, "mb", 1, 3);
      const newest = await broker.answer(carrier.newest("ma"));
      expect([newest?.number, Buffer.from(newest!.bytes).toString()]).toEqual([12, "m12"]);
      expect((await broker.answer(carrier.newest("mb")))?.number).toBe(3);
    });

    test("[CR6] drops the beginning of one log, and keeps the rest", async () => {
      const { carrier } = await connected();
      for (let n = 1; n <= 9; n += 3) {
        await publish(carrier, "ma", n, n + 2);
        await publish(carrier, "mb", n, n + 2);
      }
      await broker.answer(carrier.drop("ma", 7));
      await broker.answer(carrier.drop("mc", 7));
      expect((await broker.answer(carrier.newest("ma")))?.number).toBe(9);
      const later = await connected();
      await come(later.heard, 11);
      expect(later.heard.messages.filter((message) => message.startsWith("ma"))).toEqual([
        "ma 8 m8",
        "ma 9 m9",
      ]);
      expect(later.heard.messages.filter((message) => message.startsWith("mb"))).toHaveLength(9);
    });

    test("[CR6] takes a message again that it dropped", async () => {
      const { carrier, heard } = await connected();
      await publish(carrier, "ma", 1, 3);
      await come(heard, 3); // a message that is dropped before its delivery does not come
      await broker.answer(carrier.drop("ma", 3));
      expect(await broker.answer(carrier.newest("ma"))).toBe(undefined);
      await publish(carrier, "ma", 3, 3);
      expect((await broker.answer(carrier.newest("ma")))?.number).toBe(3);
      await come(heard, 4);
      expect(numbers(heard)).toEqual([1, 2, 3, 3]);
    });

    test("[CR3] begins from the beginning when the message of its place was dropped", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 3);
      await publish(a.carrier, "mb", 1, 1);
      await come(a.heard, 4);
      await broker.answer(a.carrier.drop("ma", 2));
      const b = await connected(a.heard.carried[1]!.place);
      await come(b.heard, 2);
      expect(b.heard.messages).toEqual(["ma 3 m3", "mb 1 m1"]);
    });

    test("[CR7] brings a word to the other machines that listen, and stores none", async () => {
      const a = await connected();
      const b = await connected();
      await broker.answer(a.carrier.say("ma", bytes("hello")));
      await broker.until("a word", () => b.heard.words.length > 0);
      const late = await connected();
      await broker.answer(b.carrier.say("mb", bytes("again")));
      await broker.until("a word", () => a.heard.words.length > 0 && late.heard.words.length > 0);
      expect([a, b, late].map(({ heard }) => heard.words)).toEqual([
        ["mb again"],
        ["ma hello"],
        ["mb again"],
      ]);
      expect(a.heard.carried).toEqual([]);
    });

    test("[CR8] stores large objects by name, in place of earlier ones", async () => {
      const { carrier } = await connected();
      const large = new Uint8Array(3 * carrier.maxBytes).fill(3);
      const ask = <T>(asked: Promise<T>) => broker.answer(asked);
      expect(await ask(carrier.get("none"))).toBeUndefined();
      expect(await ask(carrier.names())).toEqual([]);
      await ask(carrier.put("a", bytes("first")));
      await ask(carrier.put("b.1", large));
      await ask(carrier.put("empty", new Uint8Array(0)));
      await ask(carrier.put("a", bytes("second")));
      expect(text(await ask(carrier.get("a")))).toBe("second");
      expect(Buffer.compare((await ask(carrier.get("b.1")))!, large)).toBe(0);
      expect((await ask(carrier.get("empty")))?.length).toBe(0);
      expect([...(await ask(carrier.names()))].sort()).toEqual(["a", "b.1", "empty"]);
      await ask(carrier.remove("a"));
      await ask(carrier.remove("none"));
      expect(await ask(carrier.get("a"))).toBeUndefined();
      expect([...(await ask(carrier.names()))].sort()).toEqual(["b.1", "empty"]);
    });

    test("[CR9] refuses what is too large, and goes on", async () => {
      const { carrier, heard } = await connected();
      const large = new Uint8Array(carrier.maxBytes + 1);
      const refused = { name: "CarrierError", kind: "refused" };
      await expect(broker.answer(carrier.publish("ma", 1, large))).rejects.toMatchObject(refused);
      await expect(broker.answer(carrier.say("ma", large))).rejects.toMatchObject(refused);
      await publish(carrier, "ma", 1, 1);
      await come(heard, 1);
      expect(heard.states).toEqual(["connected"]);
    });

    test("[CR10] is away until it has started, while the broker is, and after its end", async () => {
      const away = { name: "CarrierError", kind: "away" };
      const { carrier, heard } = await connected();
      const idle = broker.carrier();
      await expect(broker.answer(idle.publish("mb", 1, bytes("x")))).rejects.toMatchObject(away);
      await broker.stop();
      await broker.until("away", () => heard.states.at(-1) === "away");
      const requests: (() => Promise<unknown>)[] = [
        () => carrier.publish("ma", 1, bytes("x")),
        () => carrier.say("ma", bytes("x")),
        () => carrier.newest("ma"),
        () => carrier.drop("ma", 1),
        () => carrier.get("a"),
        () => carrier.put("a", bytes("x")),
        () => carrier.names(),
        () => carrier.remove("a"),
      ];
      for (const request of requests) await expect(broker.answer(request())).rejects.toMatchObject(away);
      await broker.start();
      await broker.until("connected", () => heard.here);
      // The carrier tells again that it is away where it learns another reason.
      expect(heard.states.filter((state, i) => state !== heard.states[i - 1])).toEqual([
        "connected",
        "away",
        "connected",
      ]);
      await carrier.close();
      await expect(broker.answer(carrier.publish("ma", 1, bytes("x")))).rejects.toMatchObject(away);
    });

    test("[CR10] reaches a broker that starts after it", async () => {
      await broker.stop();
      const { carrier, heard } = begun();
      await broker.until("away", () => heard.states.length > 0);
      await broker.start();
      await broker.until("connected", () => heard.here);
      expect(heard.states.filter((state, i) => state !== heard.states[i - 1])).toEqual(["away", "connected"]);
      await publish(carrier, "ma", 1, 1);
      await come(heard, 1);
    });

    test("[CR11] goes on after a pause of the broker where it was", async () => {
      const a = await connected();
      const b = await connected();
      await publish(a.carrier, "ma", 1, 3);
      await come(b.heard, 3);
      await restart(() => undefined);
      await broker.until("connected", () => a.heard.here && b.heard.here);
      await publish(a.carrier, "ma", 4, 5);
      await come(b.heard, 5);
      expect(numbers(b.heard)).toEqual([1, 2, 3, 4, 5]);
      expect((await broker.answer(a.carrier.newest("ma")))?.number).toBe(5);
    });

    test("[CR12] begins from the beginning when the broker was wiped", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 4, "old");
      await broker.answer(a.carrier.put("snapshot", bytes("old")));
      await come(a.heard, 4);
      const place = a.heard.carried[3]!.place;
      await restart(() => broker.wipe());
      await broker.until("connected", () => a.heard.here);
      expect(await broker.answer(a.carrier.newest("ma"))).toBe(undefined);
      expect(await broker.answer(a.carrier.names())).toEqual([]);
      await publish(a.carrier, "ma", 1, 6, "new");
      const late = await connected(place);
      await come(late.heard, 6);
      await come(a.heard, 10);
      const all = Array.from({ length: 6 }, (_, i) => `ma ${i + 1} new${i + 1}`);
      expect(late.heard.messages).toEqual(all);
      expect(a.heard.messages.slice(4)).toEqual(all);
    });

    test("[CR13] begins from the beginning when an old backup came back, also one that has grown", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 2);
      await come(a.heard, 2);
      await restart(() => broker.backup());
      await broker.until("connected", () => a.heard.here);
      await publish(a.carrier, "ma", 3, 5);
      await come(a.heard, 5);
      const place = a.heard.carried[4]!.place;
      await a.carrier.close();
      await restart(() => broker.restore());
      const b = await connected();
      expect((await broker.answer(b.carrier.newest("ma")))?.number).toBe(2);
      const early = await connected(place);
      await come(early.heard, 2);
      // The log is now longer than the place that the reader has, with other messages.
      await publish(b.carrier, "mb", 1, 6);
      const late = await connected(place);
      for (const { heard } of [early, late]) {
        await come(heard, 8);
        expect(heard.messages.slice(0, 3)).toEqual(["ma 1 m1", "ma 2 m2", "mb 1 m1"]);
        expect(heard.messages).toHaveLength(8);
      }
    });

    test("[CR13] takes again what an old backup lacks", async () => {
      const a = await connected();
      await publish(a.carrier, "ma", 1, 1);
      await restart(() => broker.backup());
      await broker.until("connected", () => a.heard.here);
      await publish(a.carrier, "ma", 2, 3);
      await restart(() => broker.restore());
      await broker.until("connected", () => a.heard.here);
      expect((await broker.answer(a.carrier.newest("ma")))?.number).toBe(1);
      await publish(a.carrier, "ma", 2, 3);
      const late = await connected();
      await come(late.heard, 3);
      expect(numbers(late.heard)).toEqual([1, 2, 3]);
    });

    test("[CR14] tells nothing after its end", async () => {
      const a = await connected();
      const b = await connected();
      await publish(a.carrier, "ma", 1, 1);
      await come(b.heard, 1);
      await b.carrier.close();
      await publish(a.carrier, "ma", 2, 2);
      await broker.answer(a.carrier.say("ma", bytes("bye")));
      await come(a.heard, 2);
      await broker.stop();
      await broker.until("away", () => !a.heard.here);
      expect(numbers(b.heard)).toEqual([1]);
      expect(b.heard.words).toEqual([]);
      expect(b.heard.states).toEqual(["connected"]);
    });
  });
}
