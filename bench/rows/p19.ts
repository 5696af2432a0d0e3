import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";
import type { Bench } from "../bench.ts";
import { isInstalled } from "../installed.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf, rateAtLeast } from "../line.ts";
import { Arrivals, rawNats, type Sender, senderOf, startNats } from "../peers/nats.ts";
import type { Scope } from "../scope.ts";

/** About the size of an envelope with one small edit. */
const BYTES = 500;
const BLOCK = 100;
const MANY = 1000;

/** Measures messages from one machine to another through NATS, one by one and many at once. */
export async function* p19(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const server = await startNats(bench.scope);
  const bytes = new Uint8Array(BYTES).fill(1);
  const ours = await carriers(bench.scope, server.url, bytes);
  const peer = await rawNats(bench.scope, server.url, bytes);
  const against = "JetStream alone";
  const single = await interleave(
    bench,
    { name: "P19", rounds: 8, warmup: 2 },
    () => timed(BLOCK, ours.one),
    () => timed(BLOCK, peer.one),
  );
  yield lineOf(
    { row: "P19", what: "message to another machine, one by one", against, ...single },
    atMost(1.2),
  );
  const together = await interleave(
    bench,
    { name: "P19", rounds: 8, warmup: 2, operations: MANY, rated: true },
    () => timed(1, () => ours.many(MANY)),
    () => timed(1, () => peer.many(MANY)),
  );
  const what = `${MANY.toLocaleString("en")} messages to another machine, at once`;
  yield lineOf({ row: "P19", what, against, ...together }, rateAtLeast(0.8));
}

/** Two machines' carriers. */
async function carriers(scope: Scope, url: string, bytes: Uint8Array): Promise<Sender> {
  const arrivals = new Arrivals();
  const options = natsOptions(url, {}, () => new Uint8Array());
  const begun = async (message: () => void) => {
    const carrier = new NatsCarrier(options, "bench");
    scope.defer(() => carrier.close());
    await new Promise<void>((resolve, reject) => {
      const away = (reason: string) => reject(new Error(reason));
      carrier.start({ message, word: () => undefined, connected: resolve, away }, undefined);
    });
    return carrier;
  };
  // One after the other: while one loads the client's packages, the loader gives another one half of them.
  const from = await begun(() => undefined);
  await begun(() => arrivals.arrived());
  let number = 0;
  return senderOf(arrivals, () => from.publish("a", ++number, bytes));
}
