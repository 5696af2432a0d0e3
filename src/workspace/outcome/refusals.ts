import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { PathProblem } from "../../mirror/path.ts";
import type { StoreError, StoreTrouble } from "../../store/store.ts";
import type { Version } from "../versions/version.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

/** What the lower layers report, as what a caller is told. */

const FILE_CODES: Record<Blocked["kind"], RefusalCode> = {
  missing: "NOT_FOUND",
  not_file: "INVALID_ARGUMENT",
  escape: "PATH_ESCAPE",
  denied: "PERMISSION_DENIED",
  full: "STORAGE_FULL",
  too_large: "TOO_LARGE",
  changed: "MIRROR_BLOCKED",
  exists: "ALREADY_EXISTS",
  io: "MIRROR_BLOCKED",
  not_text: "NOT_TEXT",
};

const FILE_SUGGESTIONS: Partial<Record<Blocked["kind"], string>> = {
  missing: "Call doc.list to see what there is, or doc.create to make it.",
  escape: "Name a document inside the workspace.",
  full: "Free some space; the daemon tries again by itself.",
  too_large: "Raise limits.maxFileBytes in daemon.config.ts to work on larger files.",
  changed: "The file is being written to by somebody else; try again.",
  exists: "Use edit.write to replace its text, or choose another path.",
  not_text: "Only UTF-8 text without NUL characters is edited; the file was left as it is.",
};

export function fileRefusal(problem: Blocked): Refusal {
  const suggestion = FILE_SUGGESTIONS[problem.kind];
  return new Refusal(FILE_CODES[problem.kind], problem.message, {
    ...(suggestion !== undefined && { suggestion }),
  });
}

export function pathRefusal(problem: PathProblem): Refusal {
  switch (problem.kind) {
    case "malformed":
      return new Refusal("INVALID_ARGUMENT", problem.message);
    case "escape":
      return new Refusal("PATH_ESCAPE", problem.message, {
        suggestion: "Give the path relative to the workspace folder, without `..`.",
      });
    case "reserved":
      return new Refusal("PERMISSION_DENIED", problem.message, {
        suggestion: "Name another document; no token and no setting opens that folder.",
      });
  }
}

/** Of a document that left memory between two steps of a request. */
export function droppedRefusal(path: string): Refusal {
  return new Refusal("OVERLOADED", `${path} left the daemon's memory while the request was under way`, {
    suggestion: "The request changed nothing. Send it again.",
  });
}

/** Of a daemon that hands out no documents any more. */
export function stoppedRefusal(): Refusal {
  return new Refusal("OVERLOADED", "the daemon is stopping", {
    suggestion: "The request changed nothing. Send it again when the daemon runs again.",
  });
}

export function storeRefusal(error: StoreError): Refusal {
  return error.kind === "full"
    ? new Refusal("STORAGE_FULL", `the edit could not be stored and was not made: ${error.message}`, {
        suggestion: "Nothing was changed. Free some space, then send the edit again.",
      })
    : new Refusal("INTERNAL", `the edit could not be stored: ${error.message}`, {
        suggestion: `${TROUBLE_ADVICE.failed} Then send the edit again with the same opId.`,
      });
}

/** What a person does about a store that keeps nothing. */
export const TROUBLE_ADVICE: Record<StoreTrouble["kind"], string> = {
  full: "Free some space on the disk that holds .spliced; the daemon goes on by itself.",
  gone: "Put the .spliced folder back; the daemon then goes on by itself. Or start the daemon again.",
  failed: "Documents can only be read. Check the disk (dmesg tells), then start the daemon again.",
};

/** What a person does about a file that cannot be mirrored. */
export function mirrorAdvice({ kind }: Blocked): string {
  return MIRROR_ADVICE[kind] ?? FILE_SUGGESTIONS[kind] ?? "Edits are kept; they are written once it can be.";
}

const MIRROR_ADVICE: Partial<Record<Blocked["kind"], string>> = {
  missing: "Bring the files back; edits are kept until then.",
  denied: "Give the daemon's user the right to write the file and its folder; edits are kept until then.",
  io: "Check the disk (dmesg tells); edits are kept and tried again.",
  escape: "Put a plain file in the place of the link.",
  not_file: "Put a plain file in its place.",
};

export function nulRefusal(): Refusal {
  return new Refusal("NOT_TEXT", "the text holds a NUL character, which would make the file binary", {
    suggestion: "Leave it out.",
  });
}

/** An edit and a batch are answered otherwise, so neither can be given the other's first answer. */
export function opIdRefusal(opId: string): Refusal {
  return new Refusal(
    "INVALID_ARGUMENT",
    `opId ${JSON.stringify(opId)} was used for another kind of request`,
    {
      suggestion: "Give each request an opId of its own.",
    },
  );
}

export function tooLargeRefusal(bytes: number, limit: number): Refusal {
  return new Refusal("TOO_LARGE", `the document would have ${bytes} bytes; the limit is ${limit}`, {
    suggestion: "Split the document, or raise limits.maxFileBytes in daemon.config.ts.",
  });
}

export function unknownChange(changeId: string): Refusal {
  return new Refusal("NOT_FOUND", `${JSON.stringify(changeId)} is no change of this workspace`, {
    suggestion: "Results of edits, doc.changed and history.list name changes in changeId.",
  });
}

export function unknownVersion(
  document: { readonly path: string; readonly version: Version },
  version: Version,
): Refusal {
  return new Refusal("NOT_FOUND", `${JSON.stringify(version)} is not a kept version of ${document.path}`, {
    suggestion: `The newest is ${document.version}.`,
  });
}
