import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { headOf } from "./head.ts";
import type { Loaded } from "./loaded.ts";

/** The folders of VS Code and of the editors that are made from it. */
const FOLDERS =
  process.platform === "darwin"
    ? ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"].map(
        (name) => `Library/Application Support/${name}`,
      )
    : ["Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf"].map(
        (name) => `.config/${name}`,
      );
/** The most backups that are looked at. */
const MOST = 200;

/**
 * Returns the versions of a file that VS Code has loaded, by its backups of unsaved buffers. A backup begins with the
 * file's address and the file's stamps as JSON.
 */
export function loadedByVsCode(home: string, file: string): readonly Loaded[] {
  const address = pathToFileURL(file).href;
  return backupsBeneath(home).flatMap((backup) => {
    const [line = ""] = (headOf(backup)?.toString() ?? "").split("\n", 1);
    if (!line.startsWith(`${address} `)) return [];
    const mtimeMs = mtimeIn(line.slice(address.length + 1));
    return mtimeMs === undefined ? [] : [{ editor: "vscode", mtimeMs, precisionMs: 1 }];
  });
}

function backupsBeneath(home: string): readonly string[] {
  const found = FOLDERS.map((folder) => join(home, folder, "Backups")).flatMap((backups) =>
    namesIn(backups).flatMap((workspace) => {
      const files = join(backups, workspace, "file");
      return namesIn(files).map((name) => join(files, name));
    }),
  );
  return found.slice(0, MOST);
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []; // the editor is not installed, or has no backups
  try {
    return readdirSync(folder);
  } catch {
    return []; // the editor removed it just now, or the system does not allow it
  }
}

function mtimeIn(json: string): number | undefined {
  try {
    const { mtime } = JSON.parse(json) as { readonly mtime?: unknown };
    return typeof mtime === "number" ? mtime : undefined;
  } catch {
    return undefined; // an editor that writes another form
  }
}
