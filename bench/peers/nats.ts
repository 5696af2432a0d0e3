import { spawn } from "node:child_process";
import { once } from "node:events";
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, createInbox, type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Scope } from "../scope.ts";

const SUBJECT = "raw.log.a";

/** Sends messages of so many bytes; each resolves once another connection received it, or all of them. */
export interface Sender {
  one(): Promise<void>;
  many(count: number): Promise<void>;
}

/** Starts a NATS server with JetStream in an empty folder; returns its address and its process. */
export async function startNats(scope: Scope): Promise<{ readonly url: string; readonly pid: number }> {
  const args = ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", scope.folder()];
  const server = spawn("nats-server", args, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(server, "exit");
  scope.defer(
    async () => {
      server.kill("SIGTERM");
      await ended;
    },
    () => server.kill("SIGKILL"),
  );
  let said = "";
  for await (const text of server.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += text;
    const port = /client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port === undefined || !said.includes("Server is ready")) continue;
    server.stderr.resume();
    return { url: `nats://127.0.0.1:${port}`, pid: server.pid! };
  }
  throw new Error(`nats-server ended: ${said}`);
}

/** JetStream alone: a publication with its acknowledgement, and so many push consumers on connections of their own. */
export async function rawNats(scope: Scope, url: string, bytes: Uint8Array, readers = 1): Promise<Sender> {
  const connections = await Promise.all(Array.from({ length: readers + 1 }, () => connect({ servers: url })));
  const [from, ...to] = connections as [NatsConnection, ...NatsConnection[]];
  scope.defer(() => Promise.all(connections.map((connection) => connection.close())));
  const manager = await jetstreamManager(from);
  await manager.streams.add({ name: "raw", subjects: ["raw.log.*"] });
  const arrivals = new Arrivals();
  for (const reader of to) {
    const inbox = createInbox();
    reader.subscribe(inbox, { callback: () => arrivals.arrived() });
    await manager.consumers.add("raw", {
      deliver_subject: inbox,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.None,
    });
  }
  const client = jetstream(from);
  return senderOf(arrivals, () => client.publish(SUBJECT, bytes), readers);
}

/** Reads everything that the streams of workspaces hold; returns the milliseconds. */
export async function readStream(scope: Scope, url: string): Promise<number> {
  const connection = await connect({ servers: url });
  scope.defer(() => connection.close());
  const manager = await jetstreamManager(connection);
  const names = (await manager.streams.list().next()).map(({ config }) => config.name);
  const name = names.find((one) => one.startsWith("sp_"))!;
  const { state } = await manager.streams.info(name);
  const arrivals = new Arrivals();
  const all = arrivals.after(state.messages);
  const started = performance.now();
  const inbox = createInbox();
  connection.subscribe(inbox, {
    callback: (_error, msg) => {
      if (msg.headers?.code === 100) msg.respond();
      else arrivals.arrived();
    },
  });
  await manager.consumers.add(name, {
    deliver_subject: inbox,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.None,
    flow_control: true,
    idle_heartbeat: nanos(5000),
  });
  await all;
  return performance.now() - started;
}

/** Sends by `publish`; `arrivals` counts the messages of so many readers. */
export function senderOf(arrivals: Arrivals, publish: () => Promise<unknown>, readers = 1): Sender {
  const many = async (count: number) => {
    const all = arrivals.after(count * readers);
    await Promise.all([all, ...Array.from({ length: count }, publish)]);
  };
  return { one: () => many(1), many };
}

/** Counts messages that arrive. */
export class Arrivals {
  #count = 0;
  #expected = 0;
  #all: () => void = () => undefined;

  arrived(): void {
    if (++this.#count === this.#expected) this.#all();
  }

  /** Resolves once so many messages more have arrived. */
  after(count: number): Promise<void> {
    this.#expected = this.#count + count;
    return new Promise((resolve) => {
      this.#all = resolve;
    });
  }
}
