import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The version in the package's own package.json. */
export function packageVersion(): string {
  return manifest().version;
}

/** The folder that the package's own package.json is in. */
export function packageFolder(): string {
  return dirname(fileURLToPath(manifest().at));
}

/** It lies at a different depth once built. */
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
  throw new Error("package.json is not where it should be");
}
