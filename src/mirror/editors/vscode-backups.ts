import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { headOf } from "./head.ts";
import type { Loaded } from "./loaded.ts";
import { foldersOf, type User } from "./user.ts";

/** The names of VS Code and of the editors that are made from it. */
const NAMES = ["Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf"];
/** The folder of code-server, which runs on the machine of the files. Its windows have them under a remote address. */
const SERVER = "code-server/User";
/** A remote address up to its path. */
const REMOTE = /^vscode-remote:\/\/[^/ ]*/;
/** The most backups that are looked at. */
const MOST = 200;

/**
 * Returns the versions of a file that VS Code has loaded, by its backups of unsaved buffers. A backup begins with the
 * file's address and the file's stamps as JSON.
 */
export function loadedByVsCode(user: User, file: string): readonly Loaded[] {
  const { href, pathname } = pathToFileURL(file);
  const local = localFolders(user).flatMap((folder) => backupsIn(folder, "file"));
  const served = serverFolders(user).flatMap((folder) => backupsIn(folder, "vscode-remote"));
  return [
    ...local.slice(0, MOST).flatMap((backup) => loadedBy(firstLineOf(backup), href)),
    ...served.slice(0, MOST).flatMap((backup) => loadedBy(firstLineOf(backup).replace(REMOTE, ""), pathname)),
  ];
}

function localFolders(user: User): readonly string[] {
  const folders =
    process.platform === "darwin"
      ? [join(user.home, "Library/Application Support")]
      : foldersOf(user, "XDG_CONFIG_HOME");
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
}

function serverFolders(user: User): readonly string[] {
  return foldersOf(user, "XDG_DATA_HOME").map((folder) => join(folder, SERVER));
}

function loadedBy(line: string, address: string): readonly Loaded[] {
  if (!line.startsWith(`${address} `)) return [];
  const mtimeMs = mtimeIn(line.slice(address.length + 1));
  return mtimeMs === undefined ? [] : [{ editor: "vscode", mtimeMs, precisionMs: 1 }];
}

function firstLineOf(backup: string): string {
  const [line = ""] = (headOf(backup)?.toString() ?? "").split("\n", 1);
  return line;
}

/** Returns the backups of each workspace in an editor's folder; `scheme` is that of their files' addresses. */
function backupsIn(folder: string, scheme: string): readonly string[] {
  const backups = join(folder, "Backups");
  return namesIn(backups).flatMap((workspace) => {
    const files = join(backups, workspace, scheme);
    return namesIn(files).map((name) => join(files, name));
  });
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
