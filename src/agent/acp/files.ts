import { isAbsolute, relative, resolve, sep } from "node:path";
import { RefusedError } from "../../client/errors.ts";
import type { Turn } from "../turn.ts";

/** Returns the document path of a path that an agent names; undefined for one outside the folder. */
export function documentAt(root: string, named: string): string | undefined {
  const path = relative(root, resolve(root, named));
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return path.split(sep).join("/");
}

/** The result of an agent's write of a file through the daemon. */
export interface Written {
  /** The proposal that the edit became. */
  readonly proposal: string | undefined;
}

/** Reads and writes documents for an agent, through the daemon. Edits name the message that they answer. */
export class AgentFiles {
  readonly #turn: Turn;
  readonly #began = new Date().toISOString();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** Returns a document's text, or some of its lines; undefined if there is no document. @throws RefusedError */
  async read(path: string, line: number | undefined, limit: number | undefined): Promise<string | undefined> {
    try {
      const { text } = await this.#turn.client.doc.read({ path });
      if (line === undefined && limit === undefined) return text;
      const from = Math.max((line ?? 1) - 1, 0);
      return text
        .split(/(?<=\n)/)
        .slice(from, limit === undefined ? undefined : from + limit)
        .join("");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Writes a document whole, from the text that the agent read last, or creates it. @throws RefusedError */
  async write(path: string, text: string): Promise<Written> {
    const { client, answers } = this.#turn;
    try {
      const { proposal } = await this.#write(path, text);
      this.#turn.made++;
      return { proposal };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const created = await client.doc.create({ path, text, ...answers });
    this.#turn.made++;
    return { proposal: "proposal" in created ? created.proposal : undefined };
  }

  async #write(path: string, text: string) {
    const { client, answers } = this.#turn;
    try {
      return await client.edit.write({ path, text, ...answers });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === "VERSION_REQUIRED")) throw error;
    }
    return client.edit.write({ path, text, version: await this.#versionAtBegin(path), ...answers });
  }

  /**
   * Returns the version that a document had when the answer began. An agent that read the disk has seen at least this
   * version.
   */
  async #versionAtBegin(path: string): Promise<string> {
    const { client } = this.#turn;
    const { changes } = await client.history.list({ path, limit: 200 });
    const since = changes.filter(({ time, kind }) => kind === "edit" && time > this.#began);
    const first = since.at(-1);
    return first?.previous ?? (await client.doc.read({ path, range: [0, 0], unseen: true })).version;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof RefusedError && error.code === "NOT_FOUND";
}
