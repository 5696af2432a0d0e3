import { Thread } from "../work/thread.ts";
import type { Examiner } from "./examiner.ts";
import type { ReplicaVersion, UpdateFinding } from "./finding.ts";

/** The methods of an examiner. */
type ExaminationCall =
  | "load"
  | "feed"
  | "forget"
  | "version"
  | "examine"
  | "applyPresence"
  | "presence"
  | "removePresence"
  | "clearPresence";

/** The calls that read bytes from outside. */
const FROM_OUTSIDE: ReadonlySet<ExaminationCall> = new Set(["version", "examine", "applyPresence"]);

export interface ExaminationJob {
  readonly call: ExaminationCall;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly result: unknown;
}

/** Tests updates from outside where they can do no harm. Calls run in their order. */
export interface Examination {
  /** Returns true when the room's replica is loaded. A harmful update unloads it. */
  has(room: string): boolean;
  load(room: string, bytes: Uint8Array): void;
  feed(room: string, updates: readonly Uint8Array[]): void;
  forget(room: string): void;
  version(bytes: Uint8Array): Promise<ReplicaVersion | undefined>;
  examine(room: string, updates: readonly Uint8Array[]): Promise<UpdateFinding>;
  /**
   * Applies a client's presence data as `Examiner.applyPresence` does. The data of all clients is lost when the thread is
   * discarded.
   */
  applyPresence(room: string, source: string, update: Uint8Array): Promise<boolean>;
  presence(room: string): Promise<Uint8Array | undefined>;
  removePresence(room: string, source: string): Promise<readonly Uint8Array[]>;
  clearPresence(room: string): void;
  close(): Promise<void>;
}

/** Milliseconds for a call that reads bytes from outside, and for any other call. */
const OUTSIDE_MS = 2_000;
const OWN_MS = 30_000;

interface WaitingJob extends ExaminationJob {
  readonly answered: (answer: Answer | undefined) => void;
}

/**
 * Runs an examiner in a thread, one job at a time. A thread that dies or exceeds its time is discarded with all of its
 * replicas, and the next job starts another thread.
 */
export class ThreadExamination implements Examination {
  readonly #report: (reason: string) => void;
  readonly #rooms = new Set<string>();
  readonly #waiting: WaitingJob[] = [];
  #underWay: WaitingJob | undefined;
  #thread: Thread<ExaminationJob, Answer> | undefined;
  #limit: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param report receives the reason when a thread is discarded */
  constructor(report: (reason: string) => void) {
    this.#report = report;
  }

  has(room: string): boolean {
    return this.#rooms.has(room);
  }

  load(room: string, bytes: Uint8Array): void {
    this.#rooms.add(room);
    void this.#call("load", room, bytes);
  }

  feed(room: string, updates: readonly Uint8Array[]): void {
    if (this.#rooms.has(room)) void this.#call("feed", room, updates);
  }

  forget(room: string): void {
    if (this.#rooms.delete(room)) void this.#call("forget", room);
  }

  async version(bytes: Uint8Array): Promise<ReplicaVersion | undefined> {
    return (await this.#call("version", bytes))?.result as ReturnType<Examiner["version"]>;
  }

  async examine(room: string, updates: readonly Uint8Array[]): Promise<UpdateFinding> {
    const answer = await this.#call("examine", room, updates);
    const finding: UpdateFinding = (answer?.result as UpdateFinding) ?? {
      is: "unsound",
      reason: "it could not be read",
    };
    if (finding.is !== "sound" && finding.is !== "known") this.#rooms.delete(room);
    return finding;
  }

  async applyPresence(room: string, source: string, update: Uint8Array): Promise<boolean> {
    return (await this.#call("applyPresence", room, source, update))?.result === true;
  }

  async presence(room: string): Promise<Uint8Array | undefined> {
    return (await this.#call("presence", room))?.result as ReturnType<Examiner["presence"]>;
  }

  async removePresence(room: string, source: string): Promise<readonly Uint8Array[]> {
    return (
      ((await this.#call("removePresence", room, source))?.result as ReturnType<
        Examiner["removePresence"]
      >) ?? []
    );
  }

  clearPresence(room: string): void {
    void this.#call("clearPresence", room);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const thread = this.#thread;
    for (const { answered } of this.#waiting.splice(0)) answered(undefined);
    this.#discard();
    await thread?.discard();
  }

  #call<C extends ExaminationCall>(call: C, ...args: Parameters<Examiner[C]>): Promise<Answer | undefined> {
    if (this.#closed) return Promise.resolve(undefined); // a thread started now would never be ended
    return new Promise((answered) => {
      this.#waiting.push({ call, args, answered });
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#underWay !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#underWay = job;
    this.#thread ??= this.#begin();
    this.#limitTime(job);
    this.#thread.begin({ call: job.call, args: job.args });
  }

  /**
   * Starts the timer of a job. While a thread starts, the job gets the longer time, because the job does not cause the
   * delay.
   */
  #limitTime({ call }: ExaminationJob): void {
    clearTimeout(this.#limit);
    const ms = this.#thread?.isReady && FROM_OUTSIDE.has(call) ? OUTSIDE_MS : OWN_MS;
    this.#limit = setTimeout(() => this.#died("it took too long"), ms);
  }

  #begin(): Thread<ExaminationJob, Answer> {
    return new Thread(new URL("./examiner-main.js", import.meta.url), {
      ready: () => this.#underWay !== undefined && this.#limitTime(this.#underWay),
      replied: (answer: Answer) => this.#done(answer),
      died: (reason) => this.#died(reason),
    });
  }

  #done(answer: Answer | undefined): void {
    clearTimeout(this.#limit);
    const job = this.#underWay;
    this.#underWay = undefined;
    this.#thread?.rest();
    job?.answered(answer);
    this.#startNext();
  }

  #died(reason: string): void {
    this.#report(`${this.#underWay?.call}: ${reason}`);
    this.#discard();
  }

  /** Discards the thread and its replicas. A waiting job then finds its room unloaded. */
  #discard(): void {
    void this.#thread?.discard();
    this.#thread = undefined;
    this.#rooms.clear();
    this.#done(undefined);
  }
}
