import type { Examination } from "../../src/doc/examination.ts";
import { Examiner } from "../../src/doc/examiner.ts";
import type { ReplicaVersion, UpdateFinding } from "../../src/doc/finding.ts";

/** An examiner in this thread, for tests without harmful content. */
export class DirectExamination implements Examination {
  readonly #examiner = new Examiner();
  readonly #rooms = new Set<string>();

  has(room: string): boolean {
    return this.#rooms.has(room);
  }

  load(room: string, bytes: Uint8Array): void {
    this.#rooms.add(room);
    this.#examiner.load(room, bytes);
  }

  feed(room: string, updates: readonly Uint8Array[]): void {
    this.#examiner.feed(room, updates);
  }

  forget(room: string): void {
    this.#rooms.delete(room);
    this.#examiner.forget(room);
  }

  async version(bytes: Uint8Array): Promise<ReplicaVersion | undefined> {
    return this.#examiner.version(bytes);
  }

  async examine(room: string, updates: readonly Uint8Array[]): Promise<UpdateFinding> {
    const finding = this.#examiner.examine(room, updates);
    if (finding.is !== "sound" && finding.is !== "known") this.#rooms.delete(room);
    return finding;
  }

  async applyPresence(room: string, source: string, update: Uint8Array): Promise<boolean> {
    return this.#examiner.applyPresence(room, source, update);
  }

  async presence(room: string): Promise<Uint8Array | undefined> {
    return this.#examiner.presence(room);
  }

  async removePresence(room: string, source: string): Promise<readonly Uint8Array[]> {
    return this.#examiner.removePresence(room, source);
  }

  clearPresence(room: string): void {
    this.#examiner.clearPresence(room);
  }

  async close(): Promise<void> {}
}
