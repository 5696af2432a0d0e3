import { expect } from "vitest";
import type { Service } from "../../src/protocol/service.ts";
import { type Connection, Session } from "../../src/protocol/session.ts";
import { Metrics } from "../../src/protocol/telemetry/metrics.ts";
import { Bench } from "../workspace/harness.ts";

export interface Message {
  readonly id?: number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: {
    code: number;
    message: string;
    data: { code: string; details: Record<string, unknown>; suggestion?: string };
  };
}

/** A session and what it sent, with the other end's buffer in the test's hand. */
export class Talk {
  readonly sent: Message[] = [];
  /** What was logged, a JSON line each. */
  readonly logged: string[] = [];
  readonly bench: Bench;
  readonly service: Service;
  readonly session: Session;
  buffered = 0;
  held = false;
  #next = 1;

  /** `service` takes the place of what the session would be served by. */
  constructor(bench: Bench, service: Partial<Service> = {}) {
    this.bench = bench;
    const talk = this;
    const connection: Connection = {
      send: (frame) => void this.sent.push(JSON.parse(frame)),
      get buffered() {
        return talk.buffered;
      },
      hold: (held) => {
        this.held = held;
      },
      close() {},
    };
    this.service = {
      workspace: bench.workspace,
      editor: bench.editor,
      serverVersion: "0.0.0",
      maxMessageBytes: 1000,
      ignore: (path) => path.startsWith("ignored/"),
      legacyOps: true,
      metrics: new Metrics(bench.workspace),
      log: (level, event, details) => void this.logged.push(JSON.stringify({ level, event, ...details })),
      ...service,
    };
    this.session = new Session(this.service, "owner", connection);
  }

  /** The answer to a request. */
  async ask(method: string, params?: object): Promise<Message> {
    const id = this.#next++;
    this.session.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return expect
      .poll(() => this.sent.find((m) => m.id === id), { interval: 2 })
      .toBeTruthy()
      .then(() => this.sent.find((m) => m.id === id)!);
  }

  hello(extra: object = {}): Promise<Message> {
    return this.ask("hello", { protocol: 1, agent: { name: "tester" }, ...extra });
  }

  told(method: string): Message[] {
    return this.sent.filter((m) => m.method === method);
  }
}

/** A session on a workspace of these files that has said hello. */
export async function greeted(files: Record<string, string>, extra: object = {}): Promise<Talk> {
  const talk = new Talk(new Bench(files));
  await talk.hello(extra);
  return talk;
}
