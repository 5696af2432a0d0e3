import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../mirror/clock.ts";
import { freeMemory, residentSize } from "../../system/process.ts";

/** The interval at which the process looks at its memory; milliseconds. */
const LOOK_MS = 5_000;
/** The growth since the smallest size that makes a release worth its time; bytes. */
const GROWTH = 24 << 20;
/** The number of documents that left memory which makes a release worth its time. */
const MANY_LEFT = 100;
/** The share of an interval that the process may compute in and still counts as idle. */
const IDLE_SHARE = 0.1;

/** The growth of older objects at which V8 collects them early; percent. With 0, V8 decides: up to 300 %. */
const EARLY_PERCENT = 30;

/**
 * Has V8 collect older objects early, or no longer. Nearly all objects of a pass are garbage soon: a pass over 100,000
 * files then needs 30 MB less. Edits would take more processor time with it.
 */
export function collectEarly(isEarly: boolean): void {
  setFlagsFromString(`--heap-growing-percent=${isEarly ? EARLY_PERCENT : 0}`);
}

/** The memory and the work of one process. */
export interface ProcessMemory {
  /** Returns the resident size; bytes. */
  size(): number;
  /** Returns the processor time since the start of the process; milliseconds. */
  busy(): number;
  /** Collects garbage, and returns free memory to the system. */
  release(): void;
  /** Returns the number of documents in memory. */
  documents(): number;
}

/**
 * Releases unused memory to the system while the process is idle, until the signal aborts. Node collects garbage only
 * as it needs room, and the C library holds freed memory. An idle daemon would therefore look as large as ever before.
 */
export async function spareMemory(clock: Clock, signal: AbortSignal, memory: ProcessMemory): Promise<void> {
  let smallest = memory.size();
  let before = memory.busy();
  let most = memory.documents();
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return;
    const isIdle = memory.busy() - before < LOOK_MS * IDLE_SHARE;
    most = Math.max(most, memory.documents());
    if (isIdle && (memory.size() >= smallest + GROWTH || most - memory.documents() >= MANY_LEFT)) {
      memory.release();
      smallest = memory.size();
      most = memory.documents();
    }
    smallest = Math.min(smallest, memory.size());
    before = memory.busy();
  }
}

/**
 * Returns the memory of this process, which has so many `documents` in it. Node offers no collection without a flag,
 * which may be set at any time.
 */
export function thisProcess(documents: () => number): ProcessMemory {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return {
    size: residentSize,
    busy: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    release: () => {
      collect();
      freeMemory();
    },
    documents,
  };
}
