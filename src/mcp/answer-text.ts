import type { RefusedError } from "../client/errors.ts";
import type { Result } from "../protocol/schemas/schemas.ts";
import { inTools } from "./tool-words.ts";

/** A change as the method `doc.read` reports it. */
export type SeenChange = NonNullable<Result<"doc.read">["since"]>["changes"][number];

/** The changes after a version, oldest first; `more` if the history no longer lists all of them. */
export interface ChangeList {
  readonly changes: readonly SeenChange[];
  readonly more: boolean;
}

/** The parts of an edit's answer that a tool reports to the model. */
export type EditReport = Pick<
  Result<"edit.replace">,
  "path" | "version" | "summary" | "changeId" | "base" | "conflicts" | "mirrored" | "proposal"
>;

/** Most lines of a diff in an answer. */
const DIFF_LINES = 120;
/** Most characters of a diff in an answer. */
const DIFF_CHARS = 8_000;
/** Most characters of one detail of a refusal in an answer. */
const DETAIL_CHARS = 2_000;

/** Returns the hunks of a diff of the method `doc.diff`, without its header. A long diff is cut. */
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
  const shown = lines.slice(0, Math.max(fitting, 1)).map((line) => line.slice(0, DIFF_CHARS).toWellFormed());
  return [
    ...shown,
    `… ${lines.length - shown.length} more lines of this diff. Read the document to see them.`,
  ].join("\n");
}

/** Returns an author's name for an answer. `disk` is an editor or another program that saved the file. */
export function authorLabel(author: string): string {
  return author === "disk" ? "disk (a save to the file)" : author;
}

/** Returns where another machine's change was made, to follow its author's name. */
export function onMachine(machine: string | undefined): string {
  return machine === undefined ? "" : ` on ${machine}`;
}

/** Returns the names of the authors of some changes, each once, as a list for a sentence. */
export function namesOfAuthors({ changes, more }: ChangeList): string {
  const authors = new Set(
    changes.map(({ author, machine }) => `${authorLabel(author)}${onMachine(machine)}`),
  );
  if (more) authors.add("others");
  const names = [...authors];
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns a refusal as an answer: its code, the reason, the next step and its details. */
export function refusalText(error: RefusedError): string {
  const { code, message, suggestion, details } = error;
  const lines = [`${code}: ${inTools(message)}`];
  const { patch_id } = details;
  if (patch_id === undefined && suggestion !== undefined) lines.push(remedyOf(code, suggestion));
  if (patch_id !== undefined)
    lines.push(
      `Check that the place is right. To apply it anyway, call the tool again with confirm: ${JSON.stringify(patch_id)}`,
    );
  lines.push(...detailLines(details));
  return lines.join("\n");
}

/** The details that the reason does not name: texts of the document, which the model needs to try again. */
const DETAILS = ["expected", "actual", "nearest", "conflicts", "removes", "problems"] as const;

/** Returns a line for each detail of a refusal that helps the model. */
export function detailLines(details: Readonly<Record<string, unknown>>): string[] {
  return DETAILS.filter((name) => details[name] !== undefined).map((name) => {
    const shown = JSON.stringify(details[name]);
    return `${name}: ${shown.length > DETAIL_CHARS ? `${shown.slice(0, DETAIL_CHARS).toWellFormed()} …` : shown}`;
  });
}

/** Returns a refusal's remedy in terms of the tools. */
export function remedyOf(code: string, suggestion: string): string {
  return code === "VERSION_REQUIRED"
    ? "Read the whole document with read_document, then send your text again; or change single places with edit_document."
    : inTools(suggestion);
}

/** Returns the sentences about an edit that the model has to act on or know. */
export function warnings({ conflicts, mirrored, proposal }: EditReport): string[] {
  const sentences = conflicts.map(
    ({ ours, theirs }) =>
      "You and another author changed the same words, or words beside each other. The document now contains both texts: " +
      `${quoted(ours.insert)} (yours) and ${quoted(theirs.insert)} (theirs). Read that place and edit it.`,
  );
  if (proposal !== undefined) sentences.push(proposedSentence(proposal));
  else if (!mirrored)
    sentences.push("The edit is stored, but the file cannot be written now. The daemon keeps trying.");
  return sentences;
}

/** Returns the sentence about a request that became a proposal. */
export function proposedSentence(proposal: string): string {
  return (
    `You may not edit this document directly. Your edit became proposal ${proposal}. ` +
    "The document changes once a person approves it."
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text);
}
