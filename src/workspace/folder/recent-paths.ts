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
    const isRecent = this.#walked !== undefined && now - this.#walked.at <= RECENT_MS;
    return isRecent ? this.#walked!.paths : this.anew();
  }

  /** Returns the paths of all files, for a caller that hears of every file that comes from now on. */
  anew(): Promise<readonly DocPath[]> {
    const paths = this.#walk();
    this.#walked = { at: this.#ports.clock.elapsed(), paths };
    return paths;
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
