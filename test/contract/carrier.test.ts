import { onTestFinished } from "vitest";
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";
import { unable } from "../e2e/able.ts";
import { until } from "../e2e/until.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { type Backup, MemoryBroker } from "../helpers/memory-carrier.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { Seeded } from "../helpers/seeded.ts";
import { carrierContract } from "./carrier.ts";

/** The time that passes at most until something holds in memory, in milliseconds. */
const PATIENCE_MS = 60_000;

carrierContract("memory", () => {
  const clock = new FakeClock();
  const broker = new MemoryBroker(clock, new Seeded(1));
  let backup: Backup;
  return {
    carrier: () => broker.carrier(),
    stop: () => broker.stop(),
    start: () => broker.start(),
    wipe: () => broker.wipe(),
    backup: () => {
      backup = broker.backup();
    },
    restore: () => broker.restore(backup),
    async until(what, holds) {
      for (let ms = 0; !holds(); ms++) {
        if (ms > PATIENCE_MS) throw new Error(`never: ${what}`);
        await clock.advance(1);
      }
    },
    async answer(asked) {
      let answered = false;
      asked.then(
        () => (answered = true),
        () => (answered = true),
      );
      for (let ms = 0; !answered && ms < PATIENCE_MS; ms++) await clock.advance(1);
      return asked;
    },
  };
});

if (!unable("the contract of the carrier on NATS", natsMissing()))
  carrierContract("NATS", async () => {
    const server = await NatsServer.start();
    onTestFinished(() => server.kill());
    const options = natsOptions(server.url, {}, () => {
      throw new Error("no file is needed");
    });
    return {
      carrier: () => new NatsCarrier(options, "test"),
      stop: () => server.kill(),
      start: () => server.start(),
      wipe: () => server.wipe(),
      backup: () => server.backup(),
      restore: () => server.restore(),
      until: async (what, holds) => void (await until(what, holds)),
      answer: (asked) => asked,
    };
  });
