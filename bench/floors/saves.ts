import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Splice } from "../../src/text/splice.ts";
import type { Scope } from "../scope.ts";
import { startEditFloor } from "./edits.ts";

/** Serves a file that others save by the least server, beside a subscriber that keeps its text by the splices. */
export async function startSaves(scope: Scope, path: string, start: string) {
  const floor = await startEditFloor(scope, "watch");
  writeFileSync(join(floor.root, path), start);
  const { wire } = await floor.wire("subscriber");
  await wire.request("subscribe", { path });
  let text = start;
  let changed: (now: number) => void = () => undefined;
  wire.notified = (_method, { splices }) => {
    const now = performance.now();
    text = spliced(text, splices as readonly Splice[]);
    changed(now);
  };
  return {
    pid: floor.pid,
    root: floor.root,
    wire: floor.wire,
    /** Resolves once the subscriber has a text, with the moment at which its last splices came. */
    reached: (wanted: string) =>
      new Promise<number>((done) => {
        changed = (now) => {
          if (text === wanted) done(now);
        };
      }),
    /** Checks the server's text. @throws when the subscriber has another one */
    async check() {
      const read = await wire.request<{ text: string }>("doc.read", { path });
      if (read.text !== text) throw new Error("the floor has another text than its subscriber");
    },
  };
}

function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, insert } of splices) {
    parts.push(text.slice(at, from), insert);
    at = to;
  }
  return [...parts, text.slice(at)].join("");
}
