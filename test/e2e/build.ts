import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const PROJECT = resolve(import.meta.dirname, "../..");

/** Returns the sources that a built file contains, as paths in the project; none for a file without a source map. */
export function sourcesOf(file: string): string[] {
  const map = `${file}.map`;
  if (!existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, "utf8")) as { readonly sources: readonly string[] };
  return sources.map((source) => relative(PROJECT, resolve(dirname(map), source)));
}

/** Returns the name of the package that a file of `node_modules` belongs to. */
export function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** Returns the packages and modules of Node that a built file or the files that it imports name. */
export function importsOf(file: string, seen = new Set<string>()): Set<string> {
  for (const [, target] of readFileSync(join(PROJECT, file), "utf8").matchAll(
    /^(?:import|export) (?:[^";]* from )?"([^"]+)";/gm,
  )) {
    const name = target!.startsWith(".") ? join(dirname(file), target!) : target!;
    if (seen.has(name)) continue;
    seen.add(name);
    if (target!.startsWith(".")) importsOf(name, seen);
  }
  return seen;
}
