import { Worker } from "node:worker_threads";
import type { Examiner } from "./examiner.ts";
import type { ReplicaVersion, UpdateFinding } from "./finding.ts";

/** What an examiner is asked. */
type ExaminationCall =
  | "load"
  | "feed"
  | "forget"
  | "version"
  | "examine"
  | "gather"
  | "gathered"
  | "left"
  | "empty";

/** Those that read bytes from outside. */
const FROM_OUTSIDE: ReadonlySet<ExaminationCall> = new Set(["version", "examine", "gather"]);

export interface ExaminationJob {
  readonly call: ExaminationCall;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly result: unknown;
}

/** What a thread says once it has begun. */
export const READY = "ready";

/** Tries what comes from outside where it can do no harm; asked things are done in their order. */
export interface Examination {
  /** True when a room's replica is held; once something bad was tried on it, it is not. */
  has(room: string): boolean;
  load(room: string, bytes: Uint8Array): void;
  feed(room: string, updates: readonly Uint8Array[]): void;
  forget(room: string): void;
  version(bytes: Uint8Array): Promise<ReplicaVersion | undefined>;
  examine(room: string, updates: readonly Uint8Array[]): Promise<UpdateFinding>;
  /** As the examiner's; what clients say of themselves is lost when its thread is given up. */
  gather(room: string, source: string, update: Uint8Array): Promise<boolean>;
  gathered(room: string): Promise<Uint8Array | undefined>;
  left(room: string, source: string): Promise<readonly Uint8Array[]>;
  empty(room: string): void;
  close(): Promise<void>;
}

/** How long reading what comes from outside may take, and how long anything that is our own. */
const OUTSIDE_MS = 2_000;
const OWN_MS = 30_000;

interface Asked extends ExaminationJob {
  readonly answered: (answer: Answer | undefined) => void;
}

/**
 * An examiner in a thread. One job is under way at a time; a thread that dies of it, or takes too long, is given
 * up with all of its replicas, and the next job begins another.
 */
export class ThreadExamination implements Examination {
  readonly #report: (reason: string) => void;
  readonly #rooms = new Set<string>();
  readonly #waiting: Asked[] = [];
  #underWay: Asked | undefined;
  #worker: Worker | undefined;
  #ready = false;
  #limit: NodeJS.Timeout | undefined;
  #closed = false;

  /** `report` is told why a thread was given up. */
  constructor(report: (reason: string) => void) {
    this.#report = report;
  }

  has(room: string): boolean {
    return this.#rooms.has(room);
  }

  load(room: string, bytes: Uint8Array): void {
    this.#rooms.add(room);
    void this.#ask("load", room, bytes);
  }

  feed(room: string, updates: readonly Uint8Array[]): void {
    if (this.#rooms.has(room)) void this.#ask("feed", room, updates);
  }

  forget(room: string): void {
    if (this.#rooms.delete(room)) void this.#ask("forget", room);
  }

  async version(bytes: Uint8Array): Promise<ReplicaVersion | undefined> {
    return (await this.#ask("version", bytes))?.result as ReturnType<Examiner["version"]>;
  }

  async examine(room: string, updates: readonly Uint8Array[]): Promise<UpdateFinding> {
    const answer = await this.#ask("examine", room, updates);
    const finding: UpdateFinding = (answer?.result as UpdateFinding) ?? {
      is: "unsound",
      reason: "it could not be read",
    };
    if (finding.is !== "sound" && finding.is !== "known") this.#rooms.delete(room);
    return finding;
  }

  async gather(room: string, source: string, update: Uint8Array): Promise<boolean> {
    return (await this.#ask("gather", room, source, update))?.result === true;
  }

  async gathered(room: string): Promise<Uint8Array | undefined> {
    return (await this.#ask("gathered", room))?.result as ReturnType<Examiner["gathered"]>;
  }

  async left(room: string, source: string): Promise<readonly Uint8Array[]> {
    return ((await this.#ask("left", room, source))?.result as ReturnType<Examiner["left"]>) ?? [];
  }

  empty(room: string): void {
    void this.#ask("empty", room);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    for (const { answered } of this.#waiting.splice(0)) answered(undefined);
    this.#giveUp();
    await worker?.terminate();
  }

  #ask<C extends ExaminationCall>(call: C, ...args: Parameters<Examiner[C]>): Promise<Answer | undefined> {
    if (this.#closed) return Promise.resolve(undefined); // a thread that is begun now would never be ended
    return new Promise((answered) => {
      this.#waiting.push({ call, args, answered });
      this.#proceed();
    });
  }

  #proceed(): void {
    if (this.#underWay !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#underWay = job;
    this.#worker ??= this.#begin();
    this.#worker.ref();
    this.#limitTime(job);
    this.#worker.postMessage({ call: job.call, args: job.args } satisfies ExaminationJob);
  }

  /** That a thread takes long to begin is not its first job's fault. */
  #limitTime({ call }: ExaminationJob): void {
    clearTimeout(this.#limit);
    const ms = this.#ready && FROM_OUTSIDE.has(call) ? OUTSIDE_MS : OWN_MS;
    this.#limit = setTimeout(() => this.#died("it took too long"), ms);
  }

  #begin(): Worker {
    // What a panic prints is not for the daemon's own output.
    const worker = new Worker(new URL("./examiner-main.js", import.meta.url), { stdout: true, stderr: true });
    const current = () => worker === this.#worker;
    worker.on("message", (answer: Answer | typeof READY) => {
      if (!current()) return;
      if (answer !== READY) this.#done(answer);
      else {
        this.#ready = true;
        if (this.#underWay !== undefined) this.#limitTime(this.#underWay);
      }
    });
    worker.on("error", (error) => current() && this.#died(String(error)));
    worker.on("exit", (code) => current() && this.#died(`it ended with ${code}`));
    return worker;
  }

  #done(answer: Answer | undefined): void {
    clearTimeout(this.#limit);
    const job = this.#underWay;
    this.#underWay = undefined;
    this.#worker?.unref();
    job?.answered(answer);
    this.#proceed();
  }

  #died(reason: string): void {
    this.#report(`${this.#underWay?.call}: ${reason}`);
    this.#giveUp();
  }

  /** Replicas are lost with the thread: what waits for one finds it unloaded. */
  #giveUp(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ready = false;
    this.#rooms.clear();
    void worker?.terminate();
    this.#done(undefined);
  }
}
