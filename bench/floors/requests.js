import { lstatSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const edit = {
  path: z.string().min(1).max(1024),
  version: z.string().max(64).optional(),
  ack: z.enum(["durable", "mirrored"]).optional(),
  opId: z.string().max(128).optional(),
};
const position = z.int().min(0);
const splice = z.strictObject({ from: position, to: position, insert: z.string() });
const SCHEMAS = {
  "edit.splice": z.strictObject({ ...edit, splices: z.array(splice).min(1) }),
  "edit.replace": z.strictObject({ ...edit, old: z.string().min(1), new: z.string() }),
  "edit.append": z.strictObject({ ...edit, text: z.string().min(1) }),
  "edit.patch": z.strictObject({ ...edit, patch: z.string(), confirm: z.int().optional() }),
};

/** The rules of the only token; the first that matches decides. @type {[RegExp, boolean][]} */
const RULES = [
  [/^private\//, false],
  [/(^|\/)\.env(\..*)?$/, false],
  [/^/, true],
];

/** Decides which requests are edits that a client may make. */
export class Requests {
  #folder;
  /** Whether a client may edit a path. @type {Map<string, boolean>} */
  #rights = new Map();
  #looked = false;

  constructor(folder) {
    this.#folder = folder;
  }

  /** Checks a request's parameters, and the right to make it. @throws for all that the server refuses */
  check(method, params) {
    const { path } = SCHEMAS[method].parse(params);
    const mayEdit = this.#rights.get(path) ?? RULES.find(([rule]) => rule.test(path))[1];
    this.#rights.set(path, mayEdit);
    if (!mayEdit) throw new Error(`${path} is not for this client`);
    this.#look();
  }

  /** Looks once a turn of the event loop whether files of patterns leave out documents. It knows no patterns. */
  #look() {
    if (this.#looked) return;
    this.#looked = true;
    process.nextTick(() => {
      this.#looked = false;
    });
    const none = { throwIfNoEntry: false };
    const found =
      lstatSync(join(this.#folder, ".splicedignore"), none) ??
      lstatSync(join(this.#folder, ".gitignore"), none) ??
      statSync(join(homedir(), ".config/git/ignore"), none);
    if (found !== undefined) throw new Error("the floor reads no patterns");
  }
}
