import { parentPort } from "node:worker_threads";
import { READY } from "../work/thread.ts";
import type { Answer, ExaminationJob } from "./examination.ts";
import { Examiner } from "./examiner.ts";
import { limitMemory } from "./memory-cap.ts";
import { loro } from "./package.ts";

/** Runs in a thread of its own: runs one job after the other, on WebAssembly memory of at most 512 MB. */
const MOST_PAGES = (512 << 20) / 65_536;

interface Host {
  readonly WebAssembly: { Module: new (bytes: Uint8Array) => object };
}

const { WebAssembly } = globalThis as unknown as Host;
WebAssembly.Module = class extends WebAssembly.Module {
  constructor(bytes: Uint8Array) {
    super(limitMemory(bytes, MOST_PAGES));
  }
};
// Loading Loro compiles its WebAssembly module, so the limit must be in place before.
loro();
const examiner = new Examiner();

parentPort?.on("message", ({ call, args }: ExaminationJob) => {
  const perform = examiner[call] as (...args: unknown[]) => unknown;
  const answer: Answer = { result: perform.apply(examiner, [...args]) };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage(READY);
