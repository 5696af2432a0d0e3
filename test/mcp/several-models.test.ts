import fc from "fast-check";
import { expect, test } from "vitest";
import type { Host } from "../helpers/mcp-host.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

/** What one of three models, or the person, does next: each edit leaves a token of its own behind a line's number. */
const step = fc.record({
  who: fc.constantFrom(0, 1, 2, "person" as const),
  line: fc.nat({ max: 5 }),
  how: fc.constantFrom("read", "edit", "patch", "write", "undo"),
});
const TEXT = [0, 1, 2, 3, 4, 5].map((n) => `${n}: of six\n\n`).join("");

/** A model that edits from what it read last. */
class Model {
  readonly made: string[] = [];
  readonly #host: Host;
  readonly #path: string;
  #view = "";

  constructor(host: Host, path: string) {
    this.#host = host;
    this.#path = path;
  }

  async read(): Promise<void> {
    const said = await this.#host.say("read", { path: this.#path });
    this.#view = said.slice(said.indexOf("\n") + 1);
  }

  /** It knows of its own edits, and looks away from what it is told of others'. */
  async act(how: string, line: number, token: string): Promise<void> {
    if (how === "read") return this.read();
    if (how === "undo") {
      // Refused where a later edit stands on it.
      if (this.made.length > 0 && !(await this.#host.call("undo")).isError) this.made.pop();
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
    // A patch shows lines, and a write the whole text, that others may have changed since the model read them.
    if (isError && how !== "edit") return this.read();
    expect(isError).toBe(false);
    this.made.push(token);
    this.#view = next;
  }
}

function patchOf(text: string, old: string, updated: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(old));
  return `@@ -${at + 1} +${at + 1} @@\n-${lines[at]}\n+${lines[at]!.replace(old, updated)}\n`;
}

test("[MC3] whatever three models and a person do from old reads, each edit is there once", async () => {
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
      const kept = [...models.flatMap(({ made }) => made), ...saved].sort();
      expect(guest.bench.read(path).match(/<\d+>/g)?.sort() ?? []).toEqual(kept);
    }),
    { numRuns: 15 },
  );
});
