import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoroDoc } from "loro-crdt";
import { startNode } from "../child.ts";
import { FLOORS, PROJECT } from "../places.ts";
import { within } from "../scope.ts";

/**
 * Returns the milliseconds that the least restart takes in a folder with files at `paths`, of which the `changed` ones
 * have a line more than their documents.
 */
export function catchUp(
  root: string,
  paths: readonly string[],
  changed: readonly string[],
): Promise<number[]> {
  return within(async (scope) => {
    const folder = scope.folder();
    const known = changed.map((path, i) => {
      const snapshot = join(folder, `${i}.loro`);
      const lines = readFileSync(join(root, path), "utf8").split(/(?<=\n)/);
      const doc = new LoroDoc();
      doc.getText("content").insert(0, lines.slice(0, -1).join(""));
      doc.commit();
      writeFileSync(snapshot, doc.export({ mode: "snapshot" }));
      doc.free();
      return { path, snapshot };
    });
    const task = join(folder, "task.json");
    writeFileSync(task, JSON.stringify({ paths, changed: known }));
    const args = [join(FLOORS, "catch-up.js"), root, task, join(folder, "log")];
    return [Number(await startNode(scope, args, PROJECT).ready)];
  });
}
