import { hostname } from "node:os";
import { join } from "node:path";
import type { Loaded } from "./loaded.ts";
import { foldersOf, type User } from "./user.ts";

// Block 0 of a swap file, as Vim and Neovim write it; all numbers have the lowest byte first.
const ID = "b0";
const MTIME_AT = 16;
const INO_AT = 20;
const PID_AT = 24;
const HOST_AT = 68;
const HOST_BYTES = 40;
const BLOCK_BYTES = 1032;

/** The last part of a swap file's name; Vim takes the next one while another is there. */
const EXTENSIONS = ["swp", "swo", "swn", "swm"];
/** The folders in which Neovim keeps its swap files, the second one before version 0.8. */
const NEOVIM_FOLDERS = ["XDG_STATE_HOME", "XDG_DATA_HOME"] as const;
const NEOVIM_SWAPS = "nvim/swap";

/** Returns the names of the swap files that Vim makes beside a file. */
export function swapNamesFor(name: string): readonly string[] {
  const hidden = name.startsWith(".") ? name : `.${name}`;
  return EXTENSIONS.map((extension) => `${hidden}.${extension}`);
}

/** Returns the swap files that Neovim makes for a file with this absolute path. */
export function neovimSwapsFor(user: User, file: string): readonly string[] {
  const name = file.replaceAll("/", "%");
  return NEOVIM_FOLDERS.flatMap((variable) => foldersOf(user, variable)).flatMap((folder) =>
    EXTENSIONS.map((extension) => join(folder, NEOVIM_SWAPS, `${name}.${extension}`)),
  );
}

/**
 * Returns the version that a running Vim has loaded, by its swap file's first bytes; undefined for any other content
 * and for a Vim that has ended.
 */
export function loadedByVim(head: Buffer): Loaded | undefined {
  if (head.length < BLOCK_BYTES || head.toString("latin1", 0, ID.length) !== ID) return undefined;
  const host = head.toString("latin1", HOST_AT, HOST_AT + HOST_BYTES).split("\0", 1)[0]!;
  if (host !== "" && host !== hostname()) return undefined;
  if (!isRunning(head.readUInt32LE(PID_AT))) return undefined;
  const seconds = head.readUInt32LE(MTIME_AT);
  if (seconds === 0) return undefined; // the file was new
  return { editor: "vim", mtimeMs: seconds * 1000, precisionMs: 1000, ino: head.readUInt32LE(INO_AT) };
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's Vim
  }
}
