/** A file of patterns that is not in a folder of the workspace. */
export interface OuterFile {
  /** The file's name for people. */
  readonly file: string;
  /** The path to read it by. */
  readonly path: string;
  /** The path from the folder that the patterns count from to the workspace, with a slash at its end, or "". */
  readonly prefix: string;
}

/** The rules from outside the workspace's folders. They are plain data, so that a worker can have them, too. */
export interface OuterRules {
  /** The globs of the setting `ignore`, and the configuration's name for people. */
  readonly globs: readonly string[];
  readonly config: string;
  /** The linked worktrees inside the workspace, of the git repository that it is in. */
  readonly worktrees: OuterFile | undefined;
  /** The first file with a matching pattern decides. */
  readonly files: readonly OuterFile[];
}

export const NO_RULES: OuterRules = {
  globs: [],
  config: "daemon.config.ts",
  worktrees: undefined,
  files: [],
};
