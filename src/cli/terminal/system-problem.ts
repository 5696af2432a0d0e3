import { CommandError, EXIT } from "./output.ts";

const NOT_ALLOWED = {
  EACCES: "the system does not allow it to your user",
  EPERM: "the system does not allow it to your user",
};

/** The words for a refusal of the system, by the code of its error. */
const REFUSED: Readonly<Record<string, string>> = {
  ...NOT_ALLOWED,
  EROFS: "the file system is read-only",
  ENOSPC: "the disk has no space left",
  EDQUOT: "your quota of the disk is used up",
};

/** Returns the error of a command for an error of the system about a file or a folder. */
export function systemProblem(error: NodeJS.ErrnoException): CommandError {
  const { code = "", path, message } = error;
  const refused = REFUSED[code];
  // An error of an open file has no path. What the system does not allow is clear only with one.
  if (refused === undefined || (path === undefined && code in NOT_ALLOWED))
    return new CommandError(EXIT.refused, message);
  return new CommandError(
    EXIT.refused,
    `${path === undefined ? "" : `${path}: `}${refused} (${code})`,
    "check the folder with: spliced doctor <folder>",
  );
}
