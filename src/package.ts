import { readFileSync } from "node:fs";

/** The version in the package's own package.json, which lies at a different depth once built. */
export function packageVersion(): string {
  for (const up of ["../package.json", "../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8")) as Record<
        string,
        string
      >;
      if (name === "spliced" && version !== undefined) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error("package.json is not where it should be");
}
