import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Exchange, systemExchange } from "../../system/files.ts";
import { type FileProblem, type Image, isFileProblem, sameContentStamp } from "../files.ts";
import { imageOf } from "./stat.ts";

/**
 * Puts a staged file in the place of an expected one. `done` is true when it is there now; `displaced` is its name,
 * undefined where the file system cannot keep it. When another file was there, that file stays. If a save replaced the
 * staged file in the instant that it was there, `displaced` is this save.
 */
export type Replace = (staged: string, at: string, expected: Image) => Replaced;

export interface Replaced {
  readonly done: boolean;
  readonly displaced: string | undefined;
}

/**
 * The ways to replace a file in a folder, best first. `exchange`: two names change places in one step. `hard link`: a
 * second name keeps the replaced file, but a file renamed to the place within microseconds after the look would be
 * displaced unnoticed. `rename`: the replaced file is lost, and so are later writes to it.
 */
export interface Replacing {
  readonly by: "exchange" | "hard link" | "rename";
  readonly replace: Replace;
}

/** Finds the best way on the file system of a folder, by trials in that folder. */
export function replacingIn(folder: string): Replacing {
  const [a, b] = [join(folder, "probe-a"), join(folder, "probe-b")];
  forget(a);
  forget(b);
  try {
    // The flag wx follows no link and writes to no file that was placed under these names.
    writeFileSync(a, "a", { flag: "wx" });
    writeFileSync(b, "b", { flag: "wx" });
    const exchange = works(() => {
      const exchange = systemExchange();
      exchange?.(a, b);
      return readFileSync(a, "utf8") === "b" ? exchange : undefined;
    });
    if (exchange !== undefined) return { by: "exchange", replace: byExchange(exchange) };
    forget(b);
    const links = works(() => linkSync(a, b) ?? true);
    return links ? { by: "hard link", replace: byLink } : { by: "rename", replace: byRename };
  } finally {
    forget(a);
    forget(b);
  }
}

/** Makes a new file by a link; returns false when it had to copy. @throws also when the file exists */
export function linkOrCopy(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return false;
  }
}

/** Returns true when the system refused a swap between two mounts, or of a mount itself. */
export function isElsewhere(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EXDEV" || code === "EBUSY";
}

/** Removes a staged file; when this fails, the next start removes it. */
export function forget(staged: string): void {
  try {
    unlinkSync(staged);
  } catch {
    // The file or its folder is already missing, and no caller waits for this.
  }
}

/**
 * The file is the first name of an exchange: Linux then reports first that it left, and last that it came. Watchers that
 * trust the order, such as `tsc -w` and `@parcel/watcher`, would otherwise hear nothing, or a deletion.
 */
export const byExchange =
  (exchange: Exchange): Replace =>
  (staged, at, expected) => {
    const ours = imageAt(staged);
    exchange(at, staged);
    if (is(staged, expected)) return { done: true, displaced: staged };
    // A save came between the look and the swap: it goes back to its place, and the next look takes it in (I3).
    try {
      exchange(at, staged);
    } catch {
      // Another process moved or removed the staged version meanwhile.
      linkSync(staged, at);
      forget(staged);
      return { done: false, displaced: undefined };
    }
    return { done: false, displaced: overtaking(staged, ours) };
  };

export const byLink: Replace = (staged, at, expected) => {
  const ours = imageAt(staged);
  const displaced = `${staged}-kept`;
  linkSync(at, displaced);
  if (!is(displaced, expected)) {
    forget(displaced);
    return { done: false, displaced: undefined };
  }
  try {
    renameSync(staged, at);
  } catch (error) {
    forget(displaced); // or the file would have two names
    throw error;
  }
  if (is(displaced, expected)) return { done: true, displaced };
  // A save in place came between the look and the rename: as in an exchange, it goes back to its place.
  try {
    linkSync(at, staged);
    renameSync(displaced, at);
  } catch {
    forget(staged);
    return { done: true, displaced };
  }
  return { done: false, displaced: overtaking(staged, ours) };
};

const byRename: Replace = (staged, at) => {
  renameSync(staged, at);
  return { done: true, displaced: undefined };
};

/** Returns the staged name if a save has replaced the version `ours` that is back under it. */
function overtaking(staged: string, ours: Image | FileProblem): string | undefined {
  return isFileProblem(ours) || is(staged, ours) ? undefined : staged;
}

function is(file: string, expected: Image): boolean {
  const image = imageAt(file);
  return !isFileProblem(image) && sameContentStamp(image, expected);
}

function imageAt(file: string): Image | FileProblem {
  return imageOf(lstatSync(file, { bigint: true }), file);
}

/** Returns the result of `attempt`; undefined when it throws, because the file system does not support it. */
function works<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
