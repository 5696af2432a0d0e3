import type { Files } from "../mirror/files.ts";

/** A path that exists and differs from `path` only in case or unicode form, if there is one. */
export function nearbyPath(files: Files, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    const name = files.names(parts.join("/")).find((entry) => fold(entry) === fold(part));
    if (name === undefined) return undefined;
    parts.push(name);
  }
  const found = parts.join("/");
  return found === path ? undefined : found;
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
