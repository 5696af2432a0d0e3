import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { LogDisk } from "./disk.ts";
import { PAGE } from "./record.ts";

/** The size of a segment; bytes. */
export const SEGMENT_BYTES = 2 << 20;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * A file of records. All its bytes are written before it is used: a flush then writes data only, and neither sizes nor
 * places of blocks.
 */
export class Segment {
  readonly #path: string;
  readonly #fd: number;
  readonly #disk: LogDisk;
  #used = 0;
  #last = 0;

  private constructor(path: string, fd: number, disk: LogDisk) {
    this.#path = path;
    this.#fd = fd;
    this.#disk = disk;
  }

  /** Makes a segment of zeros at a path where nothing is. Rejects with the system's error, and leaves nothing there. */
  static async make(path: string, disk: LogDisk): Promise<Segment> {
    const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      try {
        await file.writeFile(Buffer.alloc(SEGMENT_BYTES));
        await file.sync();
      } finally {
        await file.close();
      }
      const folder = await open(dirname(path));
      await folder.sync().finally(() => folder.close());
      return new Segment(path, openSync(path, O_WRONLY | O_NOFOLLOW | disk.flags), disk);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  }

  /** The number of the last group in it; 0 for an unused segment. */
  get last(): number {
    return this.#last;
  }

  get room(): number {
    return SEGMENT_BYTES - this.#used;
  }

  /** Lets later records take the place of the present ones. */
  reuse(): void {
    this.#used = 0;
  }

  /**
   * Writes a record and flushes it. Rejects with the system's error, and then the next record takes its place. A
   * refused group must not return at the next start, so its first page is erased as far as the disk still allows.
   */
  async append(seq: number, record: Buffer): Promise<void> {
    const at = this.#used;
    try {
      await this.#disk.write(this.#fd, record, at);
    } catch (error) {
      this.#erase(at);
      throw error;
    }
    this.#used = at + record.length;
    this.#last = seq;
  }

  /** Removes the file. */
  remove(): void {
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }

  /** Overwrites a record's first page. It does not flush, because a flush would fail again. */
  #erase(at: number): void {
    try {
      const fd = openSync(this.#path, O_WRONLY | O_NOFOLLOW);
      writeSync(fd, Buffer.alloc(PAGE), 0, PAGE, at);
      closeSync(fd);
    } catch {
      // The disk refuses this too. Then the record is on it or is not, as after a power cut before the answer.
    }
  }
}
