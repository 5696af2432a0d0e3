import { onTestFinished } from "vitest";
import { type Client, makeClient } from "../../src/client/client.ts";
import { DisconnectedError } from "../../src/client/errors.ts";
import type { ClientOptions } from "../../src/client/options.ts";
import type { Wire, WireListener } from "../../src/client/wire.ts";
import { type Holder, type Service, serve } from "../../src/protocol/service.ts";
import { ProtocolSession } from "../../src/protocol/session.ts";
import { EVERYTHING } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";

const OWNER: Holder = { name: "owner", rights: EVERYTHING };

/** Where a wire may be cut: as a frame is about to pass, or once it has. */
export type Cut = (way: "asked" | "told", frame: string) => "before" | "after" | undefined;

/** A workspace in this process, with clients whose wires the test has in hand. */
export class Bed {
  readonly bench: Bench;
  /** Dialing fails as long as this holds. */
  away = false;
  /** Why dialing fails for good. */
  turnedAway: Error | undefined;
  /** Pauses that clients made before they tried again, in milliseconds. */
  readonly pauses: number[] = [];
  cut: Cut = () => undefined;
  /** How long each connection stands, by its client's clock. */
  standsMs = 60_000;
  /** Aborts when those who wait for a greeting have waited long enough. */
  helloTimeout: AbortSignal = new AbortController().signal;
  #nowMs = 0;
  readonly #wires = new Set<(code: number, reason: string) => void>();
  #service: Service | undefined;

  constructor(files: Record<string, string>) {
    this.bench = new Bench(files);
  }

  /** A client that is connected. */
  async client(options: Partial<ClientOptions> = {}, holder: Holder = OWNER): Promise<Client> {
    const client = this.unconnected(options, holder);
    await client.ready();
    return client;
  }

  unconnected(options: Partial<ClientOptions> = {}, holder: Holder = OWNER): Client {
    const pacing = {
      wait: (ms: number) => {
        this.pauses.push(ms);
        return new Promise<void>((resolve) => setImmediate(resolve));
      },
      random: () => 0.5,
      now: () => (this.#nowMs += this.standsMs),
      helloTimeout: () => this.helloTimeout,
    };
    const client = makeClient(
      async (listener) => this.#dial(listener, holder),
      { name: "tester", ...options },
      pacing,
    );
    onTestFinished(() => client.close());
    return client;
  }

  /** Cuts all wires there are. */
  hangUp(code = 1006, reason = ""): void {
    for (const end of [...this.#wires]) end(code, reason);
  }

  /** The daemon stops and starts again on the same folder. */
  async restart(meanwhile?: () => void): Promise<void> {
    this.away = true;
    this.hangUp();
    await this.bench.restart(meanwhile);
    this.#service = undefined;
    this.away = false;
  }

  #served(): Service {
    this.#service ??= serve(this.bench.workspace, {
      serverVersion: "0.0.0",
      maxMessageBytes: 1 << 20,
      expireDays: 30,
      ignore: () => false,
      legacyOps: true,
      log: () => undefined,
    });
    return this.#service;
  }

  #dial(listener: WireListener, holder: Holder): Wire {
    if (this.turnedAway !== undefined) throw this.turnedAway;
    if (this.away) throw new DisconnectedError("no daemon answers");
    let open = true;
    const end = (code: number, reason: string) => {
      if (!open) return;
      open = false;
      this.#wires.delete(end);
      session.close();
      listener.end(code, reason);
    };
    /** Frames take a turn of the loop, as on a socket. */
    const pass = (way: "asked" | "told", frame: string, arrive: () => void) =>
      setImmediate(() => {
        if (!open) return;
        const cut = this.cut(way, frame);
        if (cut !== "before") arrive();
        if (cut !== undefined) end(1006, "");
      });
    const session = new ProtocolSession(this.#served(), holder, {
      send: (frame) => pass("told", frame, () => listener.frame(frame)),
      buffered: 0,
      hold() {},
      close: end,
    });
    this.#wires.add(end);
    return {
      send: (frame) => pass("asked", frame, () => session.receive(frame)),
      close: () => setImmediate(() => end(1000, "")),
    };
  }
}
