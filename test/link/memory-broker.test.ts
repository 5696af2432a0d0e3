import { describe, expect, test } from "vitest";
import type { CarrierError, CarrierListener } from "../../src/link/carrier/carrier.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { type Faults, MemoryBroker, type MemoryCarrier } from "../helpers/memory-carrier.ts";
import { Seeded } from "../helpers/seeded.ts";

/** A broker with two carriers, whose messages and states the second one records. */
class Stage implements CarrierListener {
  readonly clock = new FakeClock();
  readonly broker: MemoryBroker;
  readonly from: MemoryCarrier;
  readonly to: MemoryCarrier;
  readonly numbers: number[] = [];
  readonly states: string[] = [];

  constructor(seed = 1) {
    this.broker = new MemoryBroker(this.clock, new Seeded(seed));
    this.from = this.broker.carrier();
    this.to = this.broker.carrier();
    const quiet = () => undefined;
    this.from.start({ message: quiet, word: quiet, connected: quiet, away: quiet }, undefined);
    this.to.start(this, undefined);
  }

  message({ number }: { number: number }): void {
    this.numbers.push(number);
  }

  word(): void {}

  connected(): void {
    this.states.push("connected");
  }

  away(): void {
    this.states.push("away");
  }

  /** Publishes `from..to` at once, and lets time pass; returns what came of each. */
  async publish(from: number, to: number, ms = 30_000): Promise<string[]> {
    const sent: Promise<string>[] = [];
    for (let number = from; number <= to; number++)
      sent.push(
        this.from.publish("m", number, Uint8Array.of(number)).then(
          () => "stored",
          (error: CarrierError) => error.kind,
        ),
      );
    await this.clock.advance(ms);
    return Promise.all(sent);
  }
}

async function staged(faults: Partial<Faults> = {}, seed = 1): Promise<Stage> {
  const stage = new Stage(seed);
  await stage.clock.advance(1000);
  stage.broker.faults = { drop: 0, double: 0, reorder: 0, delay: 0, ...faults };
  return stage;
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe("the broker in memory", () => {
  test("[CR23] loses requests, answers and messages", async () => {
    const stage = await staged({ drop: 0.2 });
    const outcomes = await stage.publish(1, 200);
    expect(new Set(outcomes)).toEqual(new Set(["stored", "away"]));
    stage.broker.faults = { ...stage.broker.faults, drop: 0 };
    const acknowledged = outcomes.filter((outcome) => outcome === "stored").length;
    const { length } = stage.broker.memory.log;
    expect(length).toBeGreaterThan(acknowledged); // an answer got lost
    expect(length).toBeLessThan(200); // so did a request
    expect(stage.numbers.length).toBeLessThan(length); // and a message
  });

  test("[CR23] doubles and reorders messages, and loses none then", async () => {
    const stage = await staged({ double: 0.2, reorder: 0.2, delay: 50 });
    await stage.publish(1, 200);
    expect(stage.numbers.length).toBeGreaterThan(200);
    expect(stage.numbers).not.toEqual([...stage.numbers].sort((a, b) => a - b));
    expect([...new Set(stage.numbers)].sort((a, b) => a - b)).toEqual(upTo(200));
  });

  test("[CR23] repeats a run by its seed", async () => {
    const faults = { drop: 0.1, double: 0.1, reorder: 0.1, delay: 100 };
    const run = async (seed: number) => {
      const stage = await staged(faults, seed);
      await stage.publish(1, 100);
      return stage.numbers;
    };
    expect(await run(7)).toEqual(await run(7));
    expect(await run(7)).not.toEqual(await run(8));
  });

  test("[CR23] cuts the way to a carrier, which notices and catches up", async () => {
    const stage = await staged();
    stage.to.cut("in");
    expect(await stage.publish(1, 5, 5000)).toEqual(Array(5).fill("stored"));
    expect(stage.numbers).toEqual([]);
    expect(stage.states).toEqual(["connected"]);
    await stage.clock.advance(6000);
    expect(stage.states).toEqual(["connected", "away"]);
    stage.to.cut(undefined);
    await stage.clock.advance(1000);
    expect(stage.numbers).toEqual(upTo(5));
    expect(stage.states).toEqual(["connected", "away", "connected"]);
  });

  test("[CR23] cuts one way of a sender: what goes out is lost, or only its acknowledgement", async () => {
    const stage = await staged();
    stage.from.cut("out");
    expect(await stage.publish(1, 2)).toEqual(["away", "away"]);
    expect(stage.broker.memory.log).toEqual([]);
    stage.from.cut(undefined);
    await stage.clock.advance(1000);
    stage.from.cut("in");
    expect(await stage.publish(1, 2)).toEqual(["away", "away"]);
    expect(stage.numbers).toEqual([1, 2]);
  });

  test("[CR23] hangs, and does on waking what came meanwhile", async () => {
    const stage = await staged();
    stage.broker.hang();
    expect(await stage.publish(1, 2)).toEqual(["away", "away"]);
    expect(stage.states).toEqual(["connected", "away"]);
    stage.broker.wake();
    await stage.clock.advance(1000);
    expect(stage.states).toEqual(["connected", "away", "connected"]);
    expect(stage.numbers).toEqual([1, 2]);
  });

  test("[CR23] loses acknowledged messages, and tells other ones in their place", async () => {
    const stage = await staged();
    await stage.publish(1, 5);
    stage.broker.loseSuffix(3);
    await stage.clock.advance(1000);
    expect(stage.broker.memory.log.map(({ number }) => number)).toEqual([1, 2]);
    await stage.publish(6, 8);
    expect(stage.numbers).toEqual([1, 2, 3, 4, 5, 1, 2, 6, 7, 8]);
  });

  test("[CR23] purges its messages while carriers stay connected", async () => {
    const stage = await staged();
    await stage.publish(1, 2);
    stage.broker.purge();
    await stage.publish(1, 3);
    expect(stage.numbers).toEqual([1, 2, 1, 2, 3]);
    expect(stage.states).toEqual(["connected"]);
  });
});
