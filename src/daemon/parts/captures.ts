import { lstatSync, readdirSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Capture, CaptureStore } from "../../protocol/telemetry/captures.ts";
import { makeOwnFolder } from "../../state/own.ts";
import { stringifyExactly } from "../../text/exact-json.ts";

const HOUR_MS = 3_600_000;
/** The pause between two deletions of expired captures. */
const SWEEP_MS = 60_000;
/** The most bytes of captures on disk; the oldest are deleted first (I15). */
const MOST_BYTES = 256 << 20;

interface StoredCapture {
  readonly file: string;
  readonly time: number;
  readonly bytes: number;
}

/** Opens the folder of captures in the state folder. With 0 hours it deletes the folder and returns undefined. */
export function openCaptures(
  state: string,
  hours: number,
  report: (event: string, details: Readonly<Record<string, unknown>>) => void,
): CaptureFolder | undefined {
  const folder = join(state, "captures");
  if (hours > 0) return new CaptureFolder(folder, hours, report);
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Writes each capture into a file of its own and deletes it after its hours. */
export class CaptureFolder implements CaptureStore {
  readonly hours: number;
  readonly folder: string;
  readonly #path: string;
  readonly #report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  readonly #sweeping: NodeJS.Timeout;
  /** The captures on disk, oldest first. */
  readonly #stored: StoredCapture[];
  #bytes: number;
  /** The last write under way. */
  #written: Promise<void> = Promise.resolve();

  constructor(
    path: string,
    hours: number,
    report: (event: string, details: Readonly<Record<string, unknown>>) => void,
  ) {
    makeOwnFolder(path);
    this.hours = hours;
    this.folder = join(basename(join(path, "..")), basename(path));
    this.#path = path;
    this.#report = report;
    this.#stored = storedIn(path);
    this.#bytes = this.#stored.reduce((sum, { bytes }) => sum + bytes, 0);
    this.sweep();
    this.#sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  add(capture: Capture): void {
    const text = `${stringifyExactly(capture)}\n`;
    const bytes = Buffer.byteLength(text);
    const time = Date.parse(capture.time);
    const file = join(this.#path, `${time}-${capture.request}.json`);
    this.#stored.push({ file, time, bytes });
    this.#bytes += bytes;
    this.sweep();
    this.#inTurn(() => writeFile(file, text, { mode: 0o600, flag: "wx" }));
  }

  /** Deletes expired captures, and the oldest captures beyond the limit. */
  sweep(now = Date.now()): void {
    const over = now - this.hours * HOUR_MS;
    while (this.#stored[0] !== undefined && (this.#stored[0].time <= over || this.#bytes > MOST_BYTES)) {
      const { file, bytes } = this.#stored.shift()!;
      this.#bytes -= bytes;
      this.#inTurn(() => rm(file, { force: true }));
    }
  }

  #inTurn(work: () => Promise<void>): void {
    this.#written = this.#written
      .then(work)
      .catch((error: unknown) => this.#report("capture.failed", { reason: String(error) }));
  }

  /** Ends the deletions, once all captures are written. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#written;
  }
}

function storedIn(path: string): StoredCapture[] {
  return readdirSync(path)
    .map((name) => ({
      file: join(path, name),
      time: Number.parseInt(name, 10) || 0,
      bytes: lstatSync(join(path, name)).size,
    }))
    .sort((a, b) => a.time - b.time);
}
