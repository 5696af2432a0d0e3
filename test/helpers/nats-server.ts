import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { atEnd } from "../e2e/cleanup.ts";
import { makeFolder } from "../e2e/folder.ts";
import { within } from "../e2e/until.ts";

const READY = "Server is ready";

/** Why tests with a NATS server cannot run here; undefined if they can. */
export function natsMissing(): string | undefined {
  try {
    execFileSync("nats-server", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "nats-server is not installed";
  }
}

/** A real NATS server with JetStream on a port of its own; its store is in a temporary folder. */
export class NatsServer {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** Starts a server, with further lines of its configuration, and of the block of JetStream. */
  static async start(configuration = "", jetstream = ""): Promise<NatsServer> {
    const folder = makeFolder();
    const server = new NatsServer(await freePort(), folder.root);
    writeFileSync(
      server.#at("server.conf"),
      `listen: "127.0.0.1:${server.port}"\njetstream {\nstore_dir: "${server.#at("store")}"\n${jetstream}\n}\n${configuration}\n`,
    );
    atEnd(() => server.kill());
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** Starts the server again with what its store has. */
  async start(): Promise<void> {
    const started = spawn("nats-server", ["-c", this.#at("server.conf")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    let said = "";
    const ready = new Promise<void>((resolve, reject) => {
      started.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes(READY)) resolve();
      });
      started.once("exit", () => reject(new Error(`nats-server ended: ${said}`)));
    });
    await within("nats-server is ready", ready);
  }

  /** Ends the server in order. */
  stop(): Promise<void> {
    return this.#endBy("SIGTERM");
  }

  /** Ends the server at once, as a crash does. */
  kill(): Promise<void> {
    return this.#endBy("SIGKILL");
  }

  async #endBy(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGCONT");
    running.kill(signal);
    await ended;
  }

  /** Stops the process without ending it: its connections stay open and silent. */
  hang(): void {
    this.#process!.kill("SIGSTOP");
  }

  wake(): void {
    this.#process!.kill("SIGCONT");
  }

  /** Removes all that a stopped server stored. */
  wipe(): void {
    rmSync(this.#at("store"), { recursive: true, force: true });
  }

  /** Copies the store of a stopped server aside. */
  backup(): void {
    cpSync(this.#at("store"), this.#at("backup"), { recursive: true });
  }

  /** Gives a stopped server the store of the backup. */
  restore(): void {
    this.wipe();
    cpSync(this.#at("backup"), this.#at("store"), { recursive: true });
  }

  #at(name: string): string {
    return `${this.#folder}/${name}`;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
