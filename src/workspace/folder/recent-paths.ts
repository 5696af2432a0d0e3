import type { DocPath } from "../../mirror/path.ts";
import type { Ports } from "../ports.ts";

/** The age up to which a list of all paths is used again; milliseconds. */
const RECENT_MS = 500;

/** Lists the paths of all files; many subscriptions share one walk. */
export class RecentPaths {
  readonly #ports: Pick<Ports, "files" | "ignored" | "clock">;
  readonly #learn: (paths: readonly DocPath[]) => void;
  #walked: { readonly at: number; readonly paths: Promise<readonly DocPath[]> } | undefined;

  /** @param learn receives the paths that each walk found */
  constructor(ports: Pick<Ports, "files" | "ignored" | "clock">, learn: (paths: readonly DocPath[]) => void) {
    this.#ports = ports;
    this.#learn = learn;
  }

  /** Returns the paths of all files, as they were at most RECENT_MS ago. */
  get(): Promise<readonly DocPath[]> {
    const now = this.#ports.clock.elapsed();
    if (this.#walked === undefined || now - this.#walked.at > RECENT_MS)
      this.#walked = { at: now, paths: this.#walk() };
    return this.#walked.paths;
  }

  async #walk(): Promise<readonly DocPath[]> {
    const { files, ignored } = this.#ports;
    ignored.refresh();
    const paths: DocPath[] = [];
    for await (const { path } of files.walk(ignored.skips)) paths.push(path);
    this.#learn(paths);
    return paths;
  }
}
