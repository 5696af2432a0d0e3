import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { packageFolder } from "../package.ts";
import type { PageFile } from "../transport/pages.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * The review page as it was built, by the paths it is asked for. Which files there are is settled when the first
 * is asked for; each is read once. One that is gone by then, because the package was updated under a daemon that
 * runs, is no file of the page.
 */
export function pageFiles(
  folder = join(packageFolder(), "dist", "web"),
): (path: string) => PageFile | undefined {
  let names: ReadonlySet<string> | undefined;
  const read = new Map<string, PageFile>();
  return (path) => {
    names ??= filesIn(folder);
    const name = path === "/" ? "index.html" : path.slice(1);
    const type = TYPES[extname(name)];
    if (type === undefined || !names.has(name)) return undefined;
    const known = read.get(name);
    if (known !== undefined) return known;
    const body = unlessGone(() => readFileSync(join(folder, name)));
    if (body === undefined) return undefined;
    // What Vite puts there is named by what it holds.
    const file = { type, body, immutable: name.startsWith("assets/") };
    read.set(name, file);
    return file;
  };
}

function filesIn(folder: string): ReadonlySet<string> {
  const entries = unlessGone(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const prefix = folder.length + 1;
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(prefix).replaceAll("\\", "/")),
  );
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
