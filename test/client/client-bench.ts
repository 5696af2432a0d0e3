import { onTestFinished } from "vitest";
import { type Client, makeClient } from "../../src/client/client.ts";
import { DisconnectedError } from "../../src/client/errors.ts";
import type { ClientOptions } from "../../src/client/options.ts";
import type { Wire, WireListener } from "../../src/client/wire.ts";
import { type Holder, type Service, serve } from "../../src/protocol/service/service.ts";
import { Settings } from "../../src/protocol/service/settings.ts";
import { ProtocolSession } from "../../src/protocol/session/session.ts";
import { AgentBounds, FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { alone } from "../helpers/alone.ts";
import { LANE_PORTS } from "../helpers/lane-ports.ts";
import { Bench } from "../workspace/harness.ts";

const OWNER: Holder = { name: "owner", rights: FULL_RIGHTS };

/** Decides whether a frame cuts its wire: before it passes, after it, or not at all. */
export type Cut = (way: "request" | "answer", frame: string) => "before" | "after" | undefined;

/** A workspace in this process, and clients whose wires the test controls. */
export class ClientBench {
  readonly bench: Bench;
  /** True while dialing fails. */
  unreachable = false;
  /** Error of each dialing; undefined while dialing works. */
  dialError: Error | undefined;
  /** Pauses between the clients' attempts, in milliseconds. */
  readonly pauses: number[] = [];
  cut: Cut = () => undefined;
  /** Duration of each connection by its client's clock, in milliseconds. */
  connectedMs = 60_000;
  /** Aborts when a client should stop waiting for the answer to hello. */
  helloTimeout: AbortSignal = new AbortController().signal;
  #nowMs = 0;
  readonly #wires = new Set<(code: number, reason: string) => void>();
  #service: Service | undefined;

  constructor(files: Record<string, string>) {
    this.bench = new Bench(files);
  }

  /** Returns a connected client. */
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
      now: () => (this.#nowMs += this.connectedMs),
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

  /** Cuts all wires. */
  hangUp(code = 1006, reason = ""): void {
    for (const end of [...this.#wires]) end(code, reason);
  }

  /** Restarts the daemon on the same folder. */
  async restart(meanwhile?: () => void): Promise<void> {
    this.unreachable = true;
    this.hangUp();
    await this.bench.restart(meanwhile);
    this.#service = undefined;
    this.unreachable = false;
  }

  #served(): Service {
    this.#service ??= serve(this.bench.workspace, {
      machines: alone(this.bench.workspace),
      serverVersion: "0.0.0",
      maxMessageBytes: 1 << 20,
      expireDays: 30,
      agents: new AgentBounds(),
      settings: new Settings({ patchMode: true, legacyOps: true }),
      promptsInHistory: false,
      lanes: LANE_PORTS,
      log: () => undefined,
    });
    return this.#service;
  }

  #dial(listener: WireListener, holder: Holder): Wire {
    if (this.dialError !== undefined) throw this.dialError;
    if (this.unreachable) throw new DisconnectedError("no daemon answers");
    let open = true;
    const end = (code: number, reason: string) => {
      if (!open) return;
      open = false;
      this.#wires.delete(end);
      session.close();
      listener.end(code, reason);
    };
    /** Frames take a turn of the loop, as on a socket. */
    const pass = (way: "request" | "answer", frame: string, arrive: () => void) =>
      setImmediate(() => {
        if (!open) return;
        const cut = this.cut(way, frame);
        if (cut !== "before") arrive();
        if (cut !== undefined) end(1006, "");
      });
    const session = new ProtocolSession(this.#served(), holder, {
      send: (frame) => pass("answer", frame, () => listener.frame(frame)),
      buffered: 0,
      hold() {},
      close: end,
    });
    this.#wires.add(end);
    return {
      send: (frame) => pass("request", frame, () => session.receive(frame)),
      close: () => setImmediate(() => end(1000, "")),
    };
  }
}
