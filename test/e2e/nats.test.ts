import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Objm } from "@nats-io/obj";
import { connect } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Carried, CarrierListener } from "../../src/link/carrier/carrier.ts";
import { CarrierError } from "../../src/link/carrier/carrier.ts";
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";
import { CutProxy } from "../helpers/cut-proxy.ts";
import { further } from "../helpers/further.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { unable } from "./able.ts";
import { until, within } from "./until.ts";

/** A machine's carrier with what it told. */
class Machine implements CarrierListener {
  readonly carrier: NatsCarrier;
  readonly numbers: number[] = [];
  readonly reasons: string[] = [];
  connections = 0;
  here = false;
  awayAt = Number.NaN;
  last: Carried | undefined;

  constructor(url: string) {
    this.carrier = new NatsCarrier(
      natsOptions(url, {}, () => new Uint8Array()),
      "test",
    );
    onTestFinished(() => this.carrier.close());
    this.carrier.start(this, undefined);
  }

  message(carried: Carried): void {
    this.numbers.push(carried.number);
    this.last = carried;
  }

  word(): void {}

  connected(): void {
    this.connections++;
    this.here = true;
  }

  away(reason: string): void {
    if (this.here) this.awayAt = performance.now();
    this.reasons.push(reason);
    this.here = false;
  }

  async reached(deadlineMs?: number): Promise<this> {
    await until("connected", () => this.here, Boolean, deadlineMs);
    return this;
  }

  /** Publishes the numbers `from..to`, each until it is acknowledged. */
  async publish(from: number, to: number, bytes = new Uint8Array(100)): Promise<void> {
    for (let number = from; number <= to; number++)
      for (;;) {
        try {
          await this.carrier.publish("ma", number, bytes);
          break;
        } catch (error) {
          if (!(error instanceof CarrierError && error.kind === "away")) throw error;
          await until("connected again", () => this.here, Boolean, 60_000);
        }
      }
  }
}

/** Returns the bucket of a server as a person without any key of the workspace reaches it. */
async function bucketOf(server: NatsServer) {
  const person = await connect({ servers: server.url });
  onTestFinished(() => person.close());
  return { person, store: await new Objm(jetstream(person)).open("sp_test_snap") };
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe.skipIf(unable("the carrier on NATS", natsMissing()))("the carrier on NATS", () => {
  async function started(configuration?: string): Promise<NatsServer> {
    const server = await NatsServer.start(configuration);
    onTestFinished(() => server.kill());
    return server;
  }

  further("[CR15, CR16] tells within 10 s that the server hangs, and goes on when it wakes", async () => {
    const server = await started();
    const [a, b] = await Promise.all([new Machine(server.url).reached(), new Machine(server.url).reached()]);
    await a.publish(1, 3);
    server.hang();
    const since = performance.now();
    // More than the buffers of the system take, so that the connection cannot send its pings.
    const large = new Uint8Array(a.carrier.maxBytes);
    const waiting = Array.from({ length: 30 }, (_, i) =>
      a.carrier.publish("ma", i + 4, large).then(
        () => "stored",
        (error: CarrierError) => error.kind,
      ),
    );
    const later = a.carrier.newest("ma");
    await expect(later).rejects.toMatchObject({ kind: "away" });
    await until("away", () => !a.here && !b.here);
    expect(Math.max(a.awayAt, b.awayAt) - since).toBeLessThan(11_000); // half a look more for timers of a busy machine
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["away"]));
    // On a busy machine the carrier may have tried again by now.
    expect(a.reasons[0]).toBe("NATS: the server does not answer");
    await expect(a.carrier.publish("ma", 4, new Uint8Array(1))).rejects.toMatchObject({ kind: "away" });
    // The carrier has tried again meanwhile, in vain.
    await until("tried again", () => a.reasons.length > 1, Boolean, 20_000);
    expect(a.reasons[1]).toMatch(/does not answer$/);
    server.wake();
    await Promise.all([a.reached(30_000), b.reached(30_000)]);
    await a.publish(4, 40);
    await until("all", () => b.numbers.length >= 40);
    expect(b.numbers).toEqual(upTo(40));
  });

  test("[CR16] brings every acknowledged message although the server is killed, once while the server keeps its memory", async () => {
    const server = await started();
    const [a, b] = await Promise.all([new Machine(server.url).reached(), new Machine(server.url).reached()]);
    // A publishes through all kills, so that each meets a message on its way.
    let last = 0;
    let acknowledged = 0;
    let killing = true;
    const publishing = async () => {
      while (killing) {
        await a.publish(++last, last);
        acknowledged = last;
      }
    };
    // The server may lose a message that it delivered and did not acknowledge. Its memory is then another one.
    const beginnings = new Map([a, b].map((machine) => [machine, 1]));
    const published = publishing();
    for (let kill = 1; kill <= 3; kill++) {
      const enough = b.numbers.length + 100;
      await until(`${enough} messages`, () => b.numbers.length >= enough);
      await server.kill();
      await until("away", () => !a.here && !b.here);
      for (const [machine, most] of beginnings)
        if (machine.numbers.at(-1)! > acknowledged) beginnings.set(machine, most + 1);
      await server.start();
    }
    killing = false;
    await within("all are acknowledged", published, 60_000);
    await until("all", () => [a, b].every(({ numbers }) => new Set(numbers).size >= last));
    for (const [{ numbers }, most] of beginnings) {
      const begun = numbers.flatMap((number, i) => (number === numbers[i - 1]! + 1 ? [] : [number]));
      expect(begun).toEqual(Array.from({ length: begun.length }, () => 1));
      expect(begun.length).toBeLessThanOrEqual(most);
      expect([...new Set(numbers)]).toEqual(upTo(last));
    }
    expect((await a.carrier.newest("ma"))?.number).toBe(last);
  });

  further("[CR16] brings every acknowledged message once although connections are cut", async () => {
    const server = await started();
    const proxy = await CutProxy.to(server.port);
    const url = `nats://127.0.0.1:${proxy.port}`;
    const [a, b] = await Promise.all([new Machine(url).reached(), new Machine(url).reached()]);
    const published = a.publish(1, 600);
    for (const at of [50, 200, 350, 500]) {
      await until(`${at} messages`, () => b.numbers.length >= at);
      const before = [a.connections, b.connections];
      proxy.cut();
      await until("connected again", () => a.connections > before[0]! && b.connections > before[1]!);
    }
    await within("all are acknowledged", published, 60_000);
    await until("all", () => b.numbers.length >= 600);
    expect(b.numbers).toEqual(upTo(600));
  });

  test("[CR15, CR16] tells that the network is silent, and goes on once it is not", async () => {
    const server = await started();
    const proxy = await CutProxy.to(server.port);
    const a = await new Machine(`nats://127.0.0.1:${proxy.port}`).reached();
    await a.publish(1, 2);
    proxy.silence();
    await until("away", () => !a.here);
    expect(a.reasons).toEqual(["NATS: the server does not answer"]);
    proxy.speak();
    await a.reached(30_000);
    await a.publish(3, 4);
    await until("all", () => a.numbers.length >= 4);
    expect(a.numbers).toEqual(upTo(4));
  });

  test("[CR17] creates the stream and the bucket anew when somebody removes them", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    await a.publish(1, 3);
    await a.carrier.put("snapshot", new Uint8Array(10));
    await until("delivered", () => a.numbers.length === 3);
    const memory = a.last!.place.memory;
    const person = await connect({ servers: server.url });
    onTestFinished(() => person.close());
    const { streams } = await jetstreamManager(person);
    await streams.delete("sp_test");
    await streams.delete("OBJ_sp_test_snap");
    // Without any request of its own the carrier notices.
    await until("connected again", () => a.connections === 2, Boolean, 20_000);
    expect(await a.carrier.newest("ma")).toBe(undefined);
    expect(await a.carrier.names()).toEqual([]);
    await a.publish(1, 4);
    await until("delivered", () => a.numbers.length === 7);
    expect(a.numbers).toEqual([1, 2, 3, 1, 2, 3, 4]);
    expect(a.last!.place.memory).not.toBe(memory);
    // A request notices it sooner.
    await streams.delete("sp_test");
    await expect(a.carrier.publish("ma", 5, new Uint8Array(1))).rejects.toMatchObject({ kind: "away" });
    await until("connected again", () => a.connections === 3);
    await streams.delete("OBJ_sp_test_snap");
    await a.carrier.put("snapshot", new Uint8Array(10));
    expect(await a.carrier.names()).toEqual(["snapshot"]);
  });

  further("[CR2] delivers a long log to a reader that comes later", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    const bytes = new Uint8Array(30_000);
    for (let from = 1; from <= 2000; from += 100) {
      const block = Array.from({ length: 100 }, (_, i) => a.carrier.publish("ma", from + i, bytes));
      await Promise.all(block);
    }
    const late = await new Machine(server.url).reached();
    await until("delivered", () => late.numbers.length >= 2000, Boolean, 60_000);
    expect(late.numbers).toEqual(upTo(2000));
    expect(late.reasons).toEqual([]);
    await a.carrier.drop("ma", 1990);
    const last = await new Machine(server.url).reached();
    await until("delivered", () => last.numbers.length >= 10);
    expect(last.numbers).toEqual(upTo(2000).slice(1990));
  });

  test("[CR24] takes an object for missing of which the bucket lacks a part", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    await a.carrier.put("snapshot", new Uint8Array(500_000));
    const person = await connect({ servers: server.url });
    onTestFinished(() => person.close());
    const { streams } = await jetstreamManager(person);
    await streams.deleteMessage("OBJ_sp_test_snap", 2);
    expect(await a.carrier.get("snapshot")).toBeUndefined();
    await a.carrier.put("snapshot", new Uint8Array(500_000));
    expect((await a.carrier.get("snapshot"))?.length).toBe(500_000);
  });

  test("[CR25] takes an object for missing that is larger than anything which a machine seals", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    const { store } = await bucketOf(server);
    let left = 80;
    const data = new ReadableStream<Uint8Array>({
      pull: (stream) => (left-- > 0 ? stream.enqueue(new Uint8Array(1 << 20)) : stream.close()),
    });
    await store.put({ name: "snapshot", options: { max_chunk_size: 1 << 20 } }, data);
    expect((await a.carrier.get("snapshot"))?.length).toBeUndefined();
  });

  test("[CR26] reads an object whose description at the broker is spoiled, and follows no link", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    const { store, person } = await bucketOf(server);
    const bytes = new Uint8Array(1_000).fill(7);
    const spoiled = [
      { digest: `SHA-256=${"A".repeat(43)}=` },
      { digest: "none" },
      { options: { link: { bucket: "sp_test_snap", name: "snapshot" } } },
      { options: { link: { bucket: "sp_test_snap" } } },
    ];
    for (const change of spoiled) {
      await a.carrier.put("snapshot", bytes);
      const { name, bucket, nuid, size, chunks, digest, options } = (await store.info("snapshot"))!;
      const description = { name, bucket, nuid, size, chunks, digest, options, ...change };
      const subject = `$O.sp_test_snap.M.${Buffer.from("snapshot").toString("base64")}`;
      await jetstream(person).publish(subject, JSON.stringify(description));
      expect(Buffer.from((await within("read", a.carrier.get("snapshot")))!).equals(bytes)).toBe(true);
    }
  });

  test("[CR4] stores what is published again after somebody purged the stream", async () => {
    const server = await started();
    const a = await new Machine(server.url).reached();
    await a.publish(1, 3);
    const person = await connect({ servers: server.url });
    onTestFinished(() => person.close());
    await (await jetstreamManager(person)).streams.purge("sp_test");
    await a.publish(1, 3);
    expect((await a.carrier.newest("ma"))?.number).toBe(3);
    const late = await new Machine(server.url).reached();
    await until("delivered", () => late.numbers.length >= 3);
    expect(late.numbers).toEqual(upTo(3));
  });

  test("[CR18] leaves its process free to end, also while the server hangs", async () => {
    const server = await started();
    const child = spawn(
      process.execPath,
      [
        resolve("node_modules/jiti/lib/jiti-cli.mjs"),
        fileURLToPath(new URL("./nats-process.ts", import.meta.url)),
        server.url,
      ],
      { stdio: ["ignore", "pipe", "inherit", "ipc"] },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    await within("connected", once(child, "message"), 30_000);
    server.hang();
    child.send("close");
    expect(await within("the process ends", once(child, "exit"))).toEqual([0, null]);
  });
});
