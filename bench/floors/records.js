import { appendFile } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { Packr } from "msgpackr";

const TAKEN_IN_MS = 500;
const REPORTED_MS = 1000;
const packer = new Packr({ useRecords: false });

/** The log's name of records. */
export const RECORDS = "\n";

/**
 * The records of edits: author, time, place, and the answer to the edit's `opId`. The log has them with the edit, and a
 * database takes them in later. A line for each edit goes to a file for people.
 */
export class Records {
  #database;
  #lines;
  #ids = 0;
  /** @type {[key: string, record: Buffer][]} */
  #behind = [];
  /** @type {string[]} */
  #unreported = [];
  /** The answers by agent and `opId`. @type {Map<string, object>} */
  #answers = new Map();

  constructor(folder) {
    this.#database = open({ path: join(folder, "floor"), encoding: "binary", keyEncoding: "binary" });
    this.#lines = join(folder, "floor.txt");
    setInterval(() => this.#takeIn(), TAKEN_IN_MS);
    setInterval(() => this.#report(), REPORTED_MS);
  }

  /** Returns the answer to an edit that was made before. */
  answerTo(agent, opId) {
    return opId === undefined ? undefined : this.#answers.get(`${agent} ${opId}`);
  }

  /** Notes an edit. Returns its answer, and its record for the log. */
  made({ path, agent, method, opId, began }, { version, splices }) {
    const changeId = `chg_${this.#ids++}`;
    const time = Date.now();
    const answer = { changeId, path, version, splices };
    const record = packer.pack({ ...answer, agent, opId, time });
    this.#behind.push([changeId, record]);
    if (opId !== undefined) this.#answers.set(`${agent} ${opId}`, answer);
    const ms = performance.now() - began;
    this.#unreported.push(JSON.stringify({ time, event: "request", method, path, agent, changeId, ms }));
    return { answer, record };
  }

  #takeIn() {
    const behind = this.#behind.splice(0);
    if (behind.length === 0) return;
    void this.#database.batch(() => {
      for (const [key, record] of behind) void this.#database.put(Buffer.from(key), record);
    });
  }

  #report() {
    const lines = this.#unreported.splice(0);
    if (lines.length > 0) appendFile(this.#lines, `${lines.join("\n")}\n`, () => undefined);
  }
}
