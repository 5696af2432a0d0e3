import { linkSync, lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Image, isFileProblem, sameContentStamp } from "./files.ts";
import { imageOf } from "./stat.ts";
import { type Exchange, systemExchange } from "./system.ts";

/**
 * Puts a staged file in the place of one that is expected there. Answers where what was in that place is kept
 * now (undefined where it cannot be), or `changed` when it was something else, which then stays.
 */
export type Replace = (
  staged: string,
  at: string,
  expected: Image,
) => { kept: string | undefined } | "changed";

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
  try {
    writeFileSync(a, "a");
    writeFileSync(b, "b");
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

const byExchange =
  (exchange: Exchange): Replace =>
  (staged, at, expected) => {
    exchange(staged, at);
    if (is(staged, expected)) return { kept: staged };
    // Saved between the look and the swap: that save goes back in its place, to be taken in (I3).
    exchange(staged, at);
    return "changed";
  };

export const byLink: Replace = (staged, at, expected) => {
  const kept = `${staged}-kept`;
  linkSync(at, kept);
  if (!is(kept, expected)) {
    forget(kept);
    return "changed";
  }
  renameSync(staged, at);
  return { kept };
};

const byRename: Replace = (staged, at) => {
  renameSync(staged, at);
  return { kept: undefined };
};

function is(file: string, expected: Image): boolean {
  const image = imageOf(lstatSync(file, { bigint: true }), file);
  return !isFileProblem(image) && sameContentStamp(image, expected);
}

/** The answer of something that this file system may not be able to do; undefined where it is not. */
function works<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
