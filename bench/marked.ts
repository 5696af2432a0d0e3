import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../src/client/client.ts";
import type { Daemon } from "./daemon.ts";
import { markerLine, textOf } from "./texts.ts";

export const MARKED = "marked.ts";

/** A file with a marker, whose number each edit raises by one. The caller gives the way of editing. */
export class MarkedFile {
  readonly path: string;
  /** The process that edits. */
  readonly pid: number;
  readonly #replace: (old: string, updated: string) => Promise<unknown>;
  #at = 0;

  /** Writes the file, of about `bytes` bytes, into `folder`. */
  constructor(
    folder: string,
    bytes: number,
    pid: number,
    replace: (old: string, updated: string) => Promise<unknown>,
  ) {
    this.pid = pid;
    this.path = join(folder, MARKED);
    this.#replace = replace;
    writeFileSync(this.path, textOf(bytes));
  }

  edit(): Promise<unknown> {
    return this.#replace(markerLine(this.#at), markerLine(++this.#at));
  }

  /** Checks the file. @throws when it lacks an edit */
  check(): void {
    if (!readFileSync(this.path, "utf8").includes(markerLine(this.#at)))
      throw new Error(`${this.path} lacks edit ${this.#at}`);
  }
}

/** Returns a marked file that the daemon edits. */
export function markedDocument(
  client: Client,
  { root, pid }: Daemon,
  bytes: number,
  ack: "mirrored" | "durable",
): MarkedFile {
  return new MarkedFile(root, bytes, pid, (old, updated) =>
    client.request("edit.replace", { path: MARKED, old, new: updated, ack }),
  );
}
