import type { Clock } from "../../mirror/clock.ts";
import { type Carrier, CarrierError } from "./carrier.ts";

/** The longest attempt to reach a broker; milliseconds. */
const REACH_MS = 10_000;
const PAUSE_MS = 100;

/** Does work at the carrier; returns undefined if the carrier is away or refuses. */
export async function whereReachable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CarrierError) return undefined;
    throw error;
  }
}

/** Waits a while until a carrier is connected; returns false if it is not by then. */
export async function untilReached(
  isConnected: () => boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waited = 0; !isConnected() && waited < REACH_MS; waited += PAUSE_MS)
    await clock.sleep(PAUSE_MS, signal);
  return isConnected();
}

/** Starts a carrier and waits until it is connected. @throws Error with the reason why it is not */
export async function connected(carrier: Carrier, clock: Clock): Promise<void> {
  const enough = new AbortController();
  let problem: string | undefined = "it did not answer within 10 s";
  const told = (reason: string | undefined) => {
    problem = reason;
    enough.abort();
  };
  carrier.start({ message() {}, word() {}, connected: () => told(undefined), away: told }, undefined);
  await clock.sleep(REACH_MS, enough.signal);
  if (problem !== undefined) throw new Error(problem);
}

/** Tries to connect to a broker; returns the reason of a failure. */
export async function problemOf(open: () => Carrier, clock: Clock): Promise<string | undefined> {
  let carrier: Carrier | undefined;
  try {
    carrier = open();
    await connected(carrier, clock);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await carrier?.close();
  }
}
