import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { PathProblem } from "../../mirror/path.ts";
import type { IgnoreRule } from "../../paths/ignore-rules.ts";
import type { StoreError, StoreTrouble } from "../../store/store.ts";
import type { Version } from "../versions/version.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

/** The refusal code for each problem with a file. */
const FILE_CODES: Record<Blocked["kind"], RefusalCode> = {
  missing: "NOT_FOUND",
  not_file: "INVALID_ARGUMENT",
  escape: "PATH_ESCAPE",
  denied: "MIRROR_BLOCKED",
  full: "STORAGE_FULL",
  too_large: "TOO_LARGE",
  changed: "MIRROR_BLOCKED",
  exists: "ALREADY_EXISTS",
  io: "MIRROR_BLOCKED",
  not_text: "NOT_TEXT",
};

/** The next step for a caller whose request failed because of a file. */
const FILE_SUGGESTIONS: Partial<Record<Blocked["kind"], string>> = {
  missing: "Call doc.list to see all documents, or doc.create to create this one.",
  not_file: "Choose another path: a document is a regular file, and only folders contain files.",
  escape: "Name a document inside the workspace.",
  denied:
    "The system refuses this to the daemon, whatever the token allows. Ask the person to let the daemon's user read and write the file and its folder.",
  full: "Free some disk space. The daemon then tries again without a new request.",
  too_large: "Raise limits.maxFileBytes in daemon.config.ts to work on larger files.",
  changed: "Another program is writing to the file. Send the request again.",
  exists: "Call edit.write to replace the text of the file, or choose another path.",
  io: "Look at what the system says: mostly the disk (see dmesg), or too few descriptors (see ulimit -n). Then send the request again.",
  not_text: "The daemon edits only UTF-8 text without NUL characters. It did not change the file.",
};

/** Returns the refusal for a problem with a file. */
export function fileRefusal(problem: Blocked): Refusal {
  const known = FILE_SUGGESTIONS[problem.kind];
  const isSlip = problem.kind === "missing" && problem.message.includes("\\");
  const suggestion = isSlip ? `Write / between folders. ${known}` : known;
  return new Refusal(FILE_CODES[problem.kind], problem.message, {
    ...(suggestion !== undefined && { suggestion }),
    details: { problem: problem.kind },
  });
}

/** Returns the refusal for a rename to the path that the document has. */
export function samePathRefusal(path: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `${path} has this path already`, {
    suggestion: "Name another path in `to`.",
  });
}

/** Returns the refusal for a rename to the path of another document. */
export function takenRefusal(path: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `${path} is another document`, {
    suggestion: "Choose another path, or first call doc.delete for the document that is there.",
    details: { problem: "exists" },
  });
}

/** Returns the refusal for a path that names no document. */
export function pathRefusal(problem: PathProblem): Refusal {
  switch (problem.kind) {
    case "malformed":
      return new Refusal("INVALID_ARGUMENT", problem.message);
    case "escape":
      return new Refusal("PATH_ESCAPE", problem.message, {
        suggestion: "Give a path relative to the workspace folder, without `..`.",
      });
    case "reserved":
      return new Refusal("PERMISSION_DENIED", problem.message, {
        suggestion: "Name another document. No token and no setting opens this folder.",
      });
  }
}

/** Returns the refusal for a path that a rule leaves out. */
export function ignoredRefusal(path: string, ignoring: IgnoreRule): Refusal {
  const { rule, file, line } = ignoring;
  const [because, suggestion] = reasonOf(ignoring);
  return new Refusal("IGNORED", `${path} is no document: ${because}`, {
    suggestion,
    details: { rule, file, line },
  });
}

/** Returns why a rule leaves a path out, and what to do about it. */
function reasonOf({ rule, file, line, by }: IgnoreRule): readonly [string, string] {
  switch (by) {
    case "setting":
      return [
        `the glob ${JSON.stringify(rule)} of the setting \`ignore\` leaves it out`,
        `A person may name other globs in \`ignore\` of ${file}. No file of patterns takes back what that setting leaves out.`,
      ];
    case "worktree":
      return [
        `the git worktree ${rule} is a workspace of its own`,
        `Run spliced in that worktree. A person may make it a part of this workspace with the line !${rule} in .splicedignore.`,
      ];
    default:
      return [
        `the rule ${JSON.stringify(rule)} (${file}, line ${line}) leaves it out`,
        `A person may remove that rule from ${file}, or take the path back in .splicedignore with a line that begins with !.`,
      ];
  }
}

/** Returns the refusal for a document that left memory between two steps of a request. */
export function droppedRefusal(path: string): Refusal {
  return new Refusal("OVERLOADED", `the daemon unloaded ${path} while it served the request`, {
    suggestion: "The request changed nothing. Send it again.",
  });
}

/** Returns the refusal of a daemon that is stopping and opens no more documents. */
export function stoppingRefusal(): Refusal {
  return new Refusal("OVERLOADED", "the daemon is stopping", {
    suggestion: "The request changed nothing. Send it again once the daemon has restarted.",
  });
}

/** Returns the refusal for an edit that the store did not save. */
export function storeRefusal(error: StoreError): Refusal {
  return error.kind === "full"
    ? new Refusal(
        "STORAGE_FULL",
        `the daemon could not store the edit and did not apply it: ${error.message}`,
        {
          suggestion: "The text is unchanged. Free some disk space, then send the edit again.",
        },
      )
    : new Refusal("INTERNAL", `the daemon could not store the edit: ${error.message}`, {
        suggestion: `${STORE_ADVICE.failed} Then send the edit again with the same opId.`,
      });
}

/** The steps by which a person repairs a store that saves nothing. */
export const STORE_ADVICE: Record<StoreTrouble["kind"], string> = {
  full: "Free some space on the disk that holds .spliced. The daemon then continues without a restart.",
  gone: "Put the .spliced folder back, and the daemon continues without a restart. Or restart the daemon.",
  failed: "Documents are read-only for now. Check the disk (see dmesg), then restart the daemon.",
};

/** Returns the steps by which a person repairs a file that the daemon cannot read or write. */
export function mirrorAdvice({ kind }: Blocked): string {
  return (
    MIRROR_ADVICE[kind] ?? FILE_SUGGESTIONS[kind] ?? "The daemon holds the edits and writes them once it can."
  );
}

const MIRROR_ADVICE: Partial<Record<Blocked["kind"], string>> = {
  missing: "Put the files back. The daemon holds their edits until then.",
  denied:
    "Give the daemon's user the right to write the file and its folder. The daemon holds the edits until then.",
  io: "Check the disk (see dmesg). The daemon holds the edits and tries again.",
  escape: "Replace the link with a regular file.",
  not_file: "Replace it with a regular file.",
};

/** Returns the refusal for new text with a NUL character. */
export function nulRefusal(): Refusal {
  return new Refusal("NOT_TEXT", "the text contains a NUL character, which would make the file binary", {
    suggestion: "Send the text without the NUL character.",
  });
}

/** Returns the refusal for an opId that an earlier, different request of the same agent used. */
export function opIdRefusal(opId: string): Refusal {
  return new Refusal(
    "INVALID_ARGUMENT",
    `another request of this agent has used opId ${JSON.stringify(opId)}; this one changed nothing`,
    {
      suggestion:
        "Send the request with a new opId. Only a repetition of a request has the opId of the first.",
    },
  );
}

/** Returns the refusal for an edit that would make a document larger than the limit; both are in bytes. */
export function tooLargeRefusal(bytes: number, limit: number): Refusal {
  return new Refusal("TOO_LARGE", `the document would have ${bytes} bytes; the limit is ${limit}`, {
    suggestion: "Split the document, or raise limits.maxFileBytes in daemon.config.ts.",
  });
}

/** Returns the refusal for a change id that the workspace does not contain. */
export function unknownChange(changeId: string): Refusal {
  return new Refusal("NOT_FOUND", `this workspace has no change ${JSON.stringify(changeId)}`, {
    suggestion: "Use a changeId from the result of an edit, from doc.changed or from history.list.",
  });
}

/** Returns the refusal for a version that a document's history does not contain. */
export function unknownVersion(
  document: { readonly path: string; readonly version: Version },
  version: Version,
): Refusal {
  return new Refusal(
    "NOT_FOUND",
    `the history of ${document.path} has no version ${JSON.stringify(version)}`,
    {
      suggestion: `The newest version is ${document.version}.`,
    },
  );
}
