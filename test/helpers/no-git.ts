import type { Git } from "../../src/mirror/disk/git.ts";

/** The git of a folder that is no repository. */
export const NO_GIT: Git = {
  contains: () => Promise.resolve(false),
  committed: () => Promise.resolve(undefined),
};
