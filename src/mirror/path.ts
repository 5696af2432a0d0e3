import { sep } from "node:path";
import { spelledOnce } from "../paths/glob.ts";
import { PROBES, STATE_FOLDER } from "../state/folder.ts";

/** A root-relative POSIX path in its only spelling: no `.` or `..`, no empty part, not in a reserved folder. */
export type DocPath = string & { readonly __brand: "DocPath" };

export interface PathProblem {
  readonly kind: "malformed" | "escape" | "reserved";
  readonly message: string;
}

const MAX_PATH = 1024;
const MAX_NAME = 255;
/** The most characters of a path that a problem quotes. */
const MAX_QUOTED = 80;
/** Names that are not reserved in any spelling, and need no other check. */
const PLAIN_NAME = /^[\w-][\w.-]{0,84}$/;
/** Folders without documents: the daemon's own, and git's, whose files must not be merged. */
const RESERVED = new Set([STATE_FOLDER, ".git"]);

/** True for the name of a folder without documents. */
function isReserved(name: string): boolean {
  const spelled = spelledOnce(name);
  return RESERVED.has(spelled) || spelled.startsWith(PROBES);
}

/** Checks a path from a caller (I12), without a look at the disk. */
export function parsePath(input: string): DocPath | PathProblem {
  const problem = (kind: PathProblem["kind"], message: string): PathProblem => ({ kind, message });
  const quoted = () => JSON.stringify(input.length > MAX_QUOTED ? `${input.slice(0, MAX_QUOTED)}…` : input);
  if (input === "")
    return problem("malformed", "the path is empty; give one relative to the workspace, as notes/today.md");
  if (input.includes("\0")) return problem("malformed", "the path holds a NUL character");
  // Only Windows treats a backslash as a slash; elsewhere it is a character of a name.
  if (input.includes("\\") && (sep === "\\" || input.split(/[\\/]/).includes("..")))
    return problem("malformed", `${quoted()} holds a backslash; write / between folders`);
  if (Buffer.byteLength(input) > MAX_PATH)
    return problem("malformed", `the path is longer than ${MAX_PATH} bytes`);
  if (input.startsWith("/") || input.startsWith("~/") || /^[A-Za-z]:\//.test(input))
    return problem("escape", `${quoted()} is absolute; give the path relative to the workspace folder`);
  const parts = input.split("/");
  while (parts[0] === ".") parts.shift();
  if (parts.includes("..")) return problem("escape", `${quoted()} ${upwards(parts)}`);
  for (const part of parts) {
    if (part === "" || part === ".")
      return problem("malformed", `${quoted()} has an empty or "." part; ${without(parts)}`);
    if (Buffer.byteLength(part) > MAX_NAME)
      return problem("malformed", `a part of ${quoted()} is longer than ${MAX_NAME} bytes`);
  }
  if (parts.length === 0)
    return problem("malformed", `${quoted()} names the workspace itself, not a document`);
  const reserved = parts.find(isReserved);
  if (reserved !== undefined)
    return problem(
      "reserved",
      `${quoted()} is in ${reserved}, which is never mirrored: nothing in it is a document`,
    );
  return parts.join("/") as DocPath;
}

/** Returns what is wrong with a path that goes upwards: it leads out, or there is a path without `..`. */
function upwards(parts: readonly string[]): string {
  const within: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") within.push(part);
    else if (within.pop() === undefined) return "leads out of the workspace";
  }
  return `has a ".." part; ${without(within)}`;
}

/** Returns the words for the path of these parts that has no empty and no `.` part. */
function without(parts: readonly string[]): string {
  const named = parts.filter((part) => part !== "" && part !== ".").join("/");
  return `without it the path is ${JSON.stringify(named.slice(0, MAX_QUOTED))}`;
}

/** Returns the path of a name that is in a folder ("" is the root); undefined if no document can have it. */
export function pathInside(folder: string, name: string): DocPath | undefined {
  const path = folder === "" ? name : `${folder}/${name}`;
  // The folder's own path was checked, and most names are plain. A character has at most three bytes.
  if (3 * path.length <= MAX_PATH && PLAIN_NAME.test(name)) return path as DocPath;
  const parsed = parsePath(path);
  return isPathProblem(parsed) ? undefined : parsed;
}

/** Checks a path for a new file: as `parsePath`, and without backslashes, which are a slip for slashes. */
export function parseNewPath(input: string): DocPath | PathProblem {
  const path = parsePath(input);
  if (isPathProblem(path) || !path.includes("\\")) return path;
  return { kind: "malformed", message: `${JSON.stringify(path)} holds a backslash; write / between folders` };
}

export function isPathProblem(value: DocPath | PathProblem): value is PathProblem {
  return typeof value !== "string";
}

/** Returns the folder of a document; "" is the root. */
export function folderOf(path: DocPath): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

export function fileNameOf(path: DocPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the path beside another one that bears a note: `notes (laptop).md` beside `notes.md`. */
export function besidePath(path: DocPath, note: string): DocPath {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf(".");
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const safe = note.replace(/[^\p{L}\p{N} ._-]/gu, "-");
  const folder = folderOf(path);
  return `${folder === "" ? "" : `${folder}/`}${stem} (${safe})${end}` as DocPath;
}
