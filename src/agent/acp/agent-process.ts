import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";

/** The time that an agent has to end by itself, in milliseconds, before each stronger way. */
const GRACE_MS = 2_000;
/** Most characters of the agent's last words. */
const MOST_WORDS = 300;

/** The process of an agent, and all processes that it starts. */
export class AgentProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #words = "";
  #why: string | undefined;
  /** Resolves when the process has ended, or could not begin. */
  readonly ended: Promise<void>;

  /** Starts an agent in a folder. The agent does not get the variables of spliced itself, such as its token. */
  constructor([program, ...args]: readonly [string, ...string[]], cwd: string) {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("SPLICED_")),
    );
    // The agent gets its own process group, so that a signal also reaches the shells that it started.
    this.#child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString()).slice(-4 * MOST_WORDS);
    });
    this.#child.stdin.on("error", () => undefined); // the agent has ended, and `ended` reports it
    this.ended = new Promise((resolve) => {
      this.#child.once("error", ({ code, message }: NodeJS.ErrnoException) => {
        this.#why = code === "ENOENT" ? `${program} is not installed; see: spliced agent --list` : message;
        resolve();
      });
      this.#child.once("exit", (code, signal) => {
        this.#why ??= `it ended (${signal ?? `exit code ${code}`})`;
        resolve();
      });
    });
  }

  get input(): WritableStream<Uint8Array> {
    return Writable.toWeb(this.#child.stdin) as WritableStream<Uint8Array>;
  }

  get output(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.#child.stdout) as ReadableStream<Uint8Array>;
  }

  /** The reason why the process has ended, with its last words; undefined while it runs. */
  get why(): string | undefined {
    const last = this.#words.trim().split("\n").at(-1)?.slice(0, MOST_WORDS);
    return this.#why && (last ? `${this.#why}: ${last}` : this.#why);
  }

  /** Ends the process and its group: by the end of its input, then by signals. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#within(GRACE_MS);
    this.#signal("SIGTERM");
    await this.#within(GRACE_MS);
    this.#signal("SIGKILL");
    await this.ended;
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  async #within(ms: number): Promise<void> {
    const enough = new AbortController();
    await Promise.race([this.ended, wait(ms, undefined, { signal: enough.signal }).catch(() => undefined)]);
    enough.abort();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // the whole group has ended
    }
  }
}
