import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { atEnd } from "./cleanup.ts";

/** A new folder for a test, removed at the end of the test file. */
export interface Folder {
  readonly root: string;
  /** The absolute path of a file in it. */
  at(path: string): string;
  read(path: string): string;
  bytes(path: string): Buffer;
  /** Writes into the file as it is, making its folders first. */
  write(path: string, content: string | Uint8Array): void;
}

export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-e2e-")));
  atEnd(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
  const folder = folderAt(root);
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return folder;
}

/**
 * Moves a new folder with these files into another one, since one daemon serves the folders of several tests. The
 * daemon sees each file whole, and never empty before its first words.
 */
export function folderIn(parent: Folder, files: Readonly<Record<string, string>>): Folder {
  const made = makeFolder(files).root;
  const root = parent.at(basename(made));
  renameSync(made, root);
  return folderAt(root);
}

/** Returns an existing folder, which stays at the end. */
export function folderAt(root: string): Folder {
  const at = (path: string) => join(root, path);
  return {
    root,
    at,
    read: (path) => readFileSync(at(path), "utf8"),
    bytes: (path) => readFileSync(at(path)),
    write(path, content) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
  };
}
