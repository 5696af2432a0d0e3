import { linkSync, lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileProblem, type Image, isFileProblem, sameContentStamp } from "./files.ts";
import { imageOf } from "./stat.ts";
import { type Exchange, systemExchange } from "./system.ts";

/**
 * Puts a staged file in the place of one that is expected there. Answers whether it is there now, and where what
 * was in that place is kept (undefined where it cannot be). It is not when there was something else, which then
 * stays; should somebody have saved over the staged file while it was there for an instant, that save is kept.
 */
export type Replace = (staged: string, at: string, expected: Image) => Replaced;

export interface Replaced {
  readonly done: boolean;
  readonly kept: string | undefined;
}

/**
 * How files are replaced in a folder, best first. `exchange`: both names change places in one step. `hard link`:
 * a second name keeps what is replaced, but a file renamed into the place within microseconds of the look
 * would be displaced unseen. `rename`: what is replaced is gone, and so is what somebody still writes to it.
 */
export interface Replacing {
  readonly by: "exchange" | "hard link" | "rename";
  readonly replace: Replace;
}

/** The best way there is on a folder's file system: it is tried there. */
export function replacingIn(folder: string): Replacing {
  const [a, b] = [join(folder, "probe-a"), join(folder, "probe-b")];
  forget(a);
  forget(b);
  try {
    // New ones: what was planted under these names is neither followed nor written to.
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

/** Removes a staged file; one that cannot be removed now is removed at the next start. */
export function forget(staged: string): void {
  try {
    unlinkSync(staged);
  } catch {
    // Gone already, or its folder is: nothing that anybody waits for.
  }
}

export const byExchange =
  (exchange: Exchange): Replace =>
  (staged, at, expected) => {
    const ours = imageAt(staged);
    exchange(staged, at);
    if (is(staged, expected)) return { done: true, kept: staged };
    // Saved between the look and the swap: that save goes back in its place, to be taken in (I3).
    try {
      exchange(staged, at);
    } catch {
      // Our version was moved away from there, or removed.
      linkSync(staged, at);
      forget(staged);
      return { done: false, kept: undefined };
    }
    return { done: false, kept: isFileProblem(ours) || is(staged, ours) ? undefined : staged };
  };

export const byLink: Replace = (staged, at, expected) => {
  const kept = `${staged}-kept`;
  linkSync(at, kept);
  if (!is(kept, expected)) {
    forget(kept);
    return { done: false, kept: undefined };
  }
  try {
    renameSync(staged, at);
  } catch (error) {
    forget(kept); // or the file would have two names
    throw error;
  }
  return { done: true, kept };
};

const byRename: Replace = (staged, at) => {
  renameSync(staged, at);
  return { done: true, kept: undefined };
};

function is(file: string, expected: Image): boolean {
  const image = imageAt(file);
  return !isFileProblem(image) && sameContentStamp(image, expected);
}

function imageAt(file: string): Image | FileProblem {
  return imageOf(lstatSync(file, { bigint: true }), file);
}

/** The answer of something that this file system may not be able to do; undefined where it is not. */
function works<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
