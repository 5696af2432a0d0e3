import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { packageFolder } from "../../package.ts";
import { ENCODINGS, type PageFile } from "../../transport/page-file.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * Returns a function that finds the built page's files by their request paths. The first request lists the files, and
 * each file is read once. A file that is gone, because the package was updated meanwhile, is not found.
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
    const readBefore = read.get(name);
    if (readBefore !== undefined) return readBefore;
    const body = unlessGone(() => readFileSync(join(folder, name)));
    if (body === undefined) return undefined;
    // Vite puts a hash of the contents into the names of these files.
    const file = {
      type,
      body,
      encoded: encodedForms(folder, names, name),
      tag: createHash("sha256").update(body).digest("base64url").slice(0, 22),
      immutable: name.startsWith("assets/"),
    };
    read.set(name, file);
    return file;
  };
}

/** Returns a file in the encodings in which the build stored it, too. */
function encodedForms(folder: string, names: ReadonlySet<string>, name: string): PageFile["encoded"] {
  const forms = ENCODINGS.flatMap((encoding) => {
    const encoded = `${name}.${ENDINGS[encoding]}`;
    const body = names.has(encoded) ? unlessGone(() => readFileSync(join(folder, encoded))) : undefined;
    return body === undefined ? [] : [[encoding, body] as const];
  });
  return Object.fromEntries(forms);
}

const ENDINGS = { br: "br", gzip: "gz" } as const;

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
