import { CommandError, EXIT } from "./output.ts";

/** What the system refuses, by the code of its error. */
const REFUSED: Readonly<Record<string, string>> = {
  EACCES: "the system does not allow it to your user",
  EPERM: "the system does not allow it to your user",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk has no space left",
  EDQUOT: "your quota of the disk is used up",
};

/** Returns the error of a command for an error of the system about a file or a folder. */
export function systemProblem(error: NodeJS.ErrnoException): CommandError {
  const { code = "", path, message } = error;
  const refused = REFUSED[code];
  if (refused === undefined || path === undefined) return new CommandError(EXIT.refused, message);
  return new CommandError(
    EXIT.refused,
    `${path}: ${refused} (${code})`,
    "check the folder with: spliced doctor <folder>",
  );
}
