import fc from "fast-check";
import { expect, test } from "vitest";
import { times } from "../e2e/long.ts";
import type { Host } from "../helpers/mcp-host.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

/** The next step of one of three models or the person. Each edit puts its own token after a line's number. */
const step = fc.record({
  who: fc.constantFrom(0, 1, 2, "person" as const),
  line: fc.nat({ max: 5 }),
  how: fc.constantFrom("read", "edit", "patch", "write", "undo"),
});
const TEXT = [0, 1, 2, 3, 4, 5].map((n) => `${n}: of six\n\n`).join("");

/** A model that edits from the text that it read last. */
class Model {
  readonly tokens: string[] = [];
  readonly #host: Host;
  readonly #path: string;
  #view = "";

  constructor(host: Host, path: string) {
    this.#host = host;
    this.#path = path;
  }

  async read(): Promise<void> {
    const answer = await this.#host.say("read", { path: this.#path });
    this.#view = answer.slice(answer.indexOf("\n") + 1);
  }

  /** Edits one line. The model knows its own edits and ignores reported changes of others. */
  async act(how: string, line: number, token: string): Promise<void> {
    if (how === "read") return this.read();
    if (how === "undo") {
      // The daemon refuses an undo if a later edit depends on the change.
      if (this.tokens.length > 0 && !(await this.#host.call("undo")).isError) this.tokens.pop();
      return this.read();
    }
    const [old, updated] = [`${line}:`, `${line}:${token}`];
    const next = this.#view.replace(old, updated);
    const { isError } = await this.#host.call(how, {
      path: this.#path,
      ...(how === "edit" && { old, new: updated }),
      ...(how === "write" && { text: next }),
      ...(how === "patch" && { patch: patchOf(this.#view, old, updated) }),
    });
    // Others may have changed the lines of a patch, or the whole text of a write, since the model read them.
    if (isError && how !== "edit") return this.read();
    expect(isError).toBe(false);
    this.tokens.push(token);
    this.#view = next;
  }
}

function patchOf(text: string, old: string, updated: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(old));
  return `@@ -${at + 1} +${at + 1} @@\n-${lines[at]}\n+${lines[at]!.replace(old, updated)}\n`;
}

test("[MC3] after any steps of three models and a person from old reads, each edit is in the text once", async () => {
  const guest = await McpWorkspace.in({});
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const path = `${run++}.md`;
      guest.bench.write(path, TEXT);
      const models = await Promise.all(
        ["a", "b", "c"].map(async (name) => new Model(await guest.another(name), path)),
      );
      for (const model of models) await model.read();
      const saved: string[] = [];
      for (const [i, { who, line, how }] of steps.entries()) {
        const token = `<${i}>`;
        if (who !== "person") await models[who]!.act(how, line, token);
        else {
          guest.bench.save(path, guest.bench.read(path).replace(`${line}:`, `${line}:${token}`));
          saved.push(token);
        }
      }
      const expected = [...models.flatMap(({ tokens }) => tokens), ...saved].sort();
      expect(guest.bench.read(path).match(/<\d+>/g)?.sort() ?? []).toEqual(expected);
    }),
    { numRuns: times(6, 150) },
  );
});
