// A process with a carrier; it closes the carrier when it is told to, and ends when nothing keeps it.
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";

const carrier = new NatsCarrier(
  natsOptions(process.argv[2]!, {}, () => new Uint8Array()),
  "test",
);
const quiet = { message: () => undefined, word: () => undefined, away: () => undefined };
carrier.start({ ...quiet, connected: () => process.send?.("connected") }, undefined);
process.once("message", () => {
  process.disconnect();
  // The answers never come: the server hangs.
  const asked = [carrier.get("a"), carrier.publish("m", 1, new Uint8Array(1))];
  void Promise.allSettled(asked);
  void carrier.close();
});
