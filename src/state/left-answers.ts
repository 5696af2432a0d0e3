import { readdirSync } from "node:fs";
import { join } from "node:path";
import { STATE_FOLDER } from "./folder.ts";
import { makeOwnFolder, removeOwn, writeOwn } from "./own.ts";
import { readSealed, sealed } from "./seal.ts";
import { StateError } from "./trust.ts";

/** An answer in which an agent may save files that it may only propose. */
export interface LeftAnswer {
  /** The name of the agent. */
  readonly name: string;
  readonly thread: string;
  readonly messageId: string;
  /** The time before the agent's first save, ISO 8601. */
  readonly since: string;
}

/**
 * The answers under way, as files in the state folder. A file that outlives its answer shows that this process died, or
 * that the daemon did, before the agent's own saves were proposed. The saves themselves are in the history.
 */
export class LeftAnswers {
  readonly #folder: string;

  constructor(root: string) {
    this.#folder = join(root, STATE_FOLDER, "answers");
  }

  /** Notes an answer before its first save. @throws StateError, or the system's error */
  add(answer: LeftAnswer): void {
    makeOwnFolder(this.#folder);
    const file = this.#fileOf(answer);
    writeOwn(file, sealed(file, answer), { flushed: true });
  }

  /** Forgets an answer, once its saves are proposed. */
  remove(answer: LeftAnswer): void {
    removeOwn(this.#fileOf(answer));
  }

  /**
   * Returns the answers of an agent, oldest first. Another's file, one without this user's seal (I17), and one that a
   * power cut damaged are left.
   */
  of(name: string): readonly LeftAnswer[] {
    const answers = namesIn(this.#folder).flatMap((file) => {
      const answer = answerIn(join(this.#folder, file));
      return answer?.name === name ? [answer] : [];
    });
    return answers.sort((a, b) => (a.since < b.since ? -1 : 1));
  }

  #fileOf({ messageId }: LeftAnswer): string {
    return join(this.#folder, `${messageId}.json`);
  }
}

function answerIn(file: string): LeftAnswer | undefined {
  try {
    const read = readSealed(file);
    return read?.genuine ? (read.content as LeftAnswer) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof StateError) return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
