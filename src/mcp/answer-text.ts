import type { RefusedError } from "../client/errors.ts";
import type { Result } from "../protocol/schemas.ts";
import type { ChangesSeen } from "./seen-versions.ts";

/** What is told of an edit. */
export type EditReport = Pick<
  Result<"edit.replace">,
  "path" | "version" | "summary" | "changeId" | "conflicts" | "mirrored" | "proposal"
>;

/** How what the daemon answers is put before a model. */

/** Lines and characters of a diff, and characters of a refusal's details, that are shown at the most. */
const DIFF_LINES = 120;
const DIFF_CHARS = 8_000;
const DETAIL_CHARS = 2_000;

/** The hunks of a diff as `doc.diff` answers it, without its header, and cut where it is long. */
export function hunksOf(diff: string): string {
  const start = diff.search(/^@@ /m);
  if (start === -1) return "";
  const lines = diff.slice(start).trimEnd().split("\n");
  let size = 0;
  const fitting = lines.findIndex((line, i) => {
    size += line.length + 1;
    return i >= DIFF_LINES || size > DIFF_CHARS;
  });
  if (fitting === -1) return lines.join("\n");
  const shown = lines.slice(0, Math.max(fitting, 1)).map((line) => line.slice(0, DIFF_CHARS));
  return [
    ...shown,
    `… ${lines.length - shown.length} more lines of this diff; read the document to see them`,
  ].join("\n");
}

/** An author; `disk` stands for what was saved to the file by an editor or another program. */
export function authorLabel(author: string): string {
  return author === "disk" ? "disk (a save to the file)" : author;
}

/** Those who made changes, each once, in a sentence. */
export function authorNames({ changes, more }: ChangesSeen): string {
  const authors = new Set(changes.map(({ author }) => authorLabel(author)));
  if (more) authors.add("others");
  const said = [...authors];
  return said.length < 2 ? said.join("") : `${said.slice(0, -1).join(", ")} and ${said.at(-1)}`;
}

/** A refusal, with all that helps to do better: what is there, and what to do next. */
export function refusalText(error: RefusedError): string {
  const { code, message, suggestion, details } = error;
  const lines = [`${code}: ${message}`];
  if (suggestion !== undefined) lines.push(withToolNames(suggestion));
  const { patch_id, ...rest } = details;
  if (patch_id !== undefined)
    lines.push(`To go ahead, call it again with confirm: ${JSON.stringify(patch_id)}`);
  const more = JSON.stringify(rest);
  if (more !== "{}")
    lines.push(`details: ${more.length > DETAIL_CHARS ? `${more.slice(0, DETAIL_CHARS)} …` : more}`);
  return lines.join("\n");
}

/** Where the wire's suggestions name a method, the tool that does it. */
const TOOL_OF: Readonly<Record<string, string>> = {
  "doc.list": "list",
  "doc.read": "read",
  "doc.create": "write",
  "doc.restore": "write",
  "doc.diff": "diff",
  "doc.status": "`spliced status` on the command line",
  "edit.replace": "edit",
  "edit.patch": "patch",
  "edit.write": "write",
  "batch.apply": "batch",
  "history.list": "history",
};

function withToolNames(suggestion: string): string {
  return suggestion.replace(/\b[a-z]+\.[a-z]+\b/g, (name) => TOOL_OF[name] ?? name);
}

/** What is to be known of an edit beyond what it did. */
export function warnings({ conflicts, mirrored, proposal }: EditReport): string[] {
  const said = conflicts.map(
    ({ ours, theirs }) =>
      `You and others changed the same characters; both texts stay: ${quoted(ours.insert)} (yours) and ` +
      `${quoted(theirs.insert)} (theirs). Read the place and settle it.`,
  );
  if (proposal !== undefined)
    said.push(
      `You may not edit it yourself: this became proposal ${proposal}, and the text stays until a person approves it.`,
    );
  else if (!mirrored)
    said.push("The edit is kept, but the file cannot be written now; it will be once it can.");
  return said;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
