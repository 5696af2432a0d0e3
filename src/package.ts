import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the version in the package's own package.json. */
export function packageVersion(): string {
  return manifest().version;
}

/** Returns the folder of the package's own package.json. */
export function packageFolder(): string {
  return dirname(fileURLToPath(manifest().at));
}

/** Reads package.json, which is one level further up from a built file. */
function manifest(): { readonly at: URL; readonly version: string } {
  for (const up of ["../package.json", "../../package.json"]) {
    const at = new URL(up, import.meta.url);
    try {
      const { name, version } = JSON.parse(readFileSync(at, "utf8")) as Record<string, string>;
      if (name === "spliced" && version !== undefined) return { at, version };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error("package.json of spliced is missing; install spliced again");
}
