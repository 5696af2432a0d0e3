import { expect } from "vitest";
import { type Holder, type Service, type ServiceOptions, serve } from "../../src/protocol/service/service.ts";
import { Settings } from "../../src/protocol/service/settings.ts";
import { type Connection, ProtocolSession } from "../../src/protocol/session/session.ts";
import { stringifyExactly } from "../../src/text/exact-json.ts";
import { AgentBounds, FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import { alone } from "../helpers/alone.ts";
import { LANE_PORTS } from "../helpers/lane-ports.ts";
import { Bench } from "../workspace/harness.ts";
import { undescribedNote, undescribedResult } from "./described.ts";

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

const OWNER: Holder = { name: "owner", rights: FULL_RIGHTS };

interface Served {
  readonly service: Service;
  /** Log entries as lines of JSON. */
  readonly logged: string[];
}

const services = new WeakMap<Workspace, Served>();

/** The service of a workspace; its sessions share it, as in the daemon. */
function servedBy(workspace: Workspace, outside: Partial<ServiceOptions>): Served {
  const known = services.get(workspace);
  if (known !== undefined) return known;
  const logged: string[] = [];
  const service = serve(workspace, {
    machines: alone(workspace),
    serverVersion: "0.0.0",
    maxMessageBytes: 1000,
    expireDays: 30,
    agents: new AgentBounds(),
    settings: new Settings({ patchMode: true, legacyOps: true }),
    promptsInHistory: false,
    lanes: LANE_PORTS,
    log: (level, event, details) => void logged.push(JSON.stringify({ level, event, ...details })),
    ...outside,
  });
  const served = { service, logged };
  services.set(workspace, served);
  return served;
}

/** A session and its sent frames; the test controls the client's buffer. */
export class Talk {
  readonly sent: Message[] = [];
  readonly bench: Bench;
  readonly service: Service;
  readonly logged: string[];
  readonly session: ProtocolSession;
  buffered = 0;
  held = false;
  /** What the daemon sent and rpc.discover does not describe; the next answer fails the test then. */
  readonly #undescribed: string[] = [];
  #next = 1;

  /** `outside` applies to the first session on a bench. */
  constructor(bench: Bench, holder: Holder = OWNER, outside: Partial<ServiceOptions> = {}) {
    this.bench = bench;
    const { service, logged } = servedBy(bench.workspace, outside);
    this.service = service;
    this.logged = logged;
    const talk = this;
    const connection: Connection = {
      send: (frame, taken) => {
        const message: Message = JSON.parse(frame);
        this.sent.push(message);
        if (message.method !== undefined) this.#check(undescribedNote(message.method, message.params));
        taken?.();
      },
      get buffered() {
        return talk.buffered;
      },
      hold: (held) => {
        this.held = held;
      },
      close() {},
    };
    this.session = new ProtocolSession(service, holder, connection);
  }

  /** Sends a request and returns its answer. */
  async ask(method: string, params?: object): Promise<Message> {
    const id = this.#next++;
    this.session.receive(stringifyExactly({ jsonrpc: "2.0", id, method, params }));
    return expect
      .poll(() => this.sent.find((m) => m.id === id), { interval: 2 })
      .toBeTruthy()
      .then(() => this.#checked(method, this.sent.find((m) => m.id === id)!));
  }

  /** Sends requests at once and returns their answers. */
  async askAll(requests: readonly (readonly [method: string, params: object])[]): Promise<Message[]> {
    const first = this.#next;
    this.#next += requests.length;
    for (const [i, [method, params]] of requests.entries())
      this.session.receive(JSON.stringify({ jsonrpc: "2.0", id: first + i, method, params }));
    const answers = () => this.sent.filter(({ id }) => typeof id === "number" && id >= first);
    await expect.poll(answers, { timeout: 150_000 }).toHaveLength(requests.length);
    const sorted = answers().sort((a, b) => Number(a.id) - Number(b.id));
    return sorted.map((answer, i) => this.#checked(requests[i]![0], answer));
  }

  #check(difference: string | undefined): void {
    if (difference !== undefined) this.#undescribed.push(difference);
  }

  #checked(method: string, answer: Message): Message {
    if (answer.result !== undefined) this.#check(undescribedResult(method, answer.result));
    expect(this.#undescribed, "[DI5]").toEqual([]);
    return answer;
  }

  hello(extra: object = {}): Promise<Message> {
    return this.ask("hello", { protocol: 1, agent: { name: "tester" }, ...extra });
  }

  /** Opens another session on the bench. */
  async again(holder?: Holder): Promise<Talk> {
    const talk = new Talk(this.bench, holder);
    await talk.hello();
    return talk;
  }

  told(method: string): Message[] {
    return this.sent.filter((m) => m.method === method);
  }
}

/** Returns a session after hello, on a folder of these files. */
export async function greeted(files: Record<string, string>, extra: object = {}): Promise<Talk> {
  const talk = new Talk(new Bench(files));
  await talk.hello(extra);
  return talk;
}
