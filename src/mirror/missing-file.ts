import type { FileProblem } from "./files.ts";

/** The daemon knows nothing of a file while the whole workspace is gone. */
export const ROOT_MISSING: FileProblem = {
  kind: "missing",
  message: "the workspace folder is missing; the daemon continues when it is back",
};

/** Too many files are missing at once to call this one deleted. */
export const MOST_MISSING: FileProblem = {
  kind: "missing",
  message: "most files went missing at once; if they were really deleted, run: spliced resume",
};
