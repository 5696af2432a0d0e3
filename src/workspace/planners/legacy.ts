import { diff } from "../../text/diff/diff.ts";
import { adoptEol, lineBody } from "../../text/lines.ts";
import type { Unit } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Range, rangeIn } from "../outcome/position-refusals.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { digestText } from "../versions/digest.ts";
import { commentLines } from "./comments.ts";
import type { Base, Planner } from "./plan.ts";

/** An edit at a cursor or a selection, in the caller's position unit. No field has a default. */
export interface LegacyEdit {
  readonly op: "insert" | "replace" | "delete" | "annotate";
  readonly content?: string | undefined;
  readonly cursor?: number | undefined;
  readonly selection?: Range | undefined;
  /** True if the edit replaces the whole text. */
  readonly document?: boolean | undefined;
  /** The SHA-256, in hex, of the text that the caller expects in the range. */
  readonly fingerprint?: string | undefined;
}

/** The most characters of the actual text that a refusal quotes. */
const MOST_QUOTED = 200;
/** A first line that must remain the first line of its file. */
const FIRST_LINE = /^(#!|<\?xml|<!doctype)/i;

/** Plans `edit.legacy`: an insert at a cursor, a replaced or deleted selection, or a comment above one. */
export function planLegacy(path: string, edit: LegacyEdit, unit: Unit): Planner {
  return (base) => {
    const { text } = base;
    const incomplete = formRefusal(edit);
    if (incomplete !== undefined) return incomplete;
    const selection = edit.document
      ? { from: 0, to: text.chars }
      : edit.selection && rangeIn(text, edit.selection, unit);
    if (selection instanceof Refusal) return selection;
    const { cursor: at } = edit;
    const cursor = at === undefined ? undefined : rangeIn(text, { from: at, to: at }, unit);
    if (cursor instanceof Refusal) return cursor;
    const stale = selection && fingerprintRefusal(text, selection, edit.fingerprint);
    if (stale !== undefined) return stale;
    const splices = splicesOf(path, base, edit, (cursor ?? selection)!.from, selection);
    return splices instanceof Refusal ? splices : { splices };
  };
}

function splicesOf(
  path: string,
  base: Base,
  { op, content = "" }: LegacyEdit,
  at: number,
  selection: Range | undefined,
): Outcome<Splice[]> {
  if (op === "annotate") return annotation(path, base, selection?.from ?? at, content);
  const insert = adoptEol(content, base.eol);
  if (op === "insert") return [{ from: at, to: at, insert }];
  const { from, to } = selection!;
  if (op === "delete") return [{ from, to, insert: "" }];
  return diff(base.text.slice(from, to), insert).map((s) => ({ ...s, from: s.from + from, to: s.to + from }));
}

/** Returns a comment above the line that contains a position, with the indentation of that line. */
function annotation(path: string, { text, eol }: Base, at: number, remark: string): Outcome<Splice[]> {
  const number = text.lineAt(at);
  const line = text.chars === 0 ? "" : text.lineSlice(number, number);
  if (number === 1 && FIRST_LINE.test(line))
    return new Refusal(
      "INVALID_ARGUMENT",
      `line 1 is ${JSON.stringify(lineBody(line))} and must remain the first line`,
      {
        suggestion: "Annotate line 2.",
      },
    );
  const comment = commentLines(path, remark, /^[ \t]*/.exec(line)![0]);
  if (comment instanceof Refusal) return comment;
  const ending = line.endsWith("\r\n") || (!line.endsWith("\n") && eol === "crlf") ? "\r\n" : "\n";
  const from = text.lineStart(number);
  return [{ from, to: from, insert: comment.map((one) => one + ending).join("") }];
}

/** Returns the refusal for an edit with missing or contradicting fields; undefined for a complete one. */
function formRefusal(edit: LegacyEdit): Refusal | undefined {
  const { op, content, cursor, selection, document, fingerprint } = edit;
  if (document && (op !== "replace" || selection !== undefined))
    return incompleteRefusal("document requires op replace and no target_range");
  if ((op === "replace" || op === "delete") && selection === undefined && !document)
    return incompleteRefusal(
      `${op} needs a range${op === "replace" ? " or document: true" : ""}`,
      "Send target_range as [from, to]. If you do not know the range, send edit.patch.",
    );
  if ((op === "insert" || op === "annotate") && cursor === undefined && selection === undefined)
    return incompleteRefusal(
      `${op} needs a cursor or a range`,
      "Send cursor or target_range. If you do not know the place, send edit.patch.",
    );
  if ((op === "replace" || op === "delete") && selection?.from === selection?.to && !document)
    return incompleteRefusal(
      `target_range ${selection!.from}..${selection!.to} is empty; there is nothing to ${op}`,
      "Send a range that contains the text, or insert at a cursor.",
    );
  if (op === "delete" ? content !== undefined : content === undefined)
    return incompleteRefusal(op === "delete" ? "delete takes no content" : `${op} needs content`);
  if (content === "" && op !== "replace")
    return incompleteRefusal(`there is nothing to ${op}; content is empty`);
  if (fingerprint !== undefined && selection === undefined && !document)
    return incompleteRefusal("selection_fingerprint requires a target_range");
  return undefined;
}

function incompleteRefusal(message: string, suggestion = "See edit.legacy in docs/protocol.md."): Refusal {
  return new Refusal("INVALID_ARGUMENT", message, { suggestion });
}

function fingerprintRefusal(
  text: Text,
  { from, to }: Range,
  fingerprint: string | undefined,
): Refusal | undefined {
  if (fingerprint === undefined) return undefined;
  const part = text.slice(from, to);
  const actual = digestText(part);
  if (actual === fingerprint.toLowerCase()) return undefined;
  const line = text.lineAt(from);
  const quoted = text.slice(from, Math.min(to, from + MOST_QUOTED));
  return new Refusal(
    "STALE_VERSION",
    `the range begins in line ${line} with ${JSON.stringify(quoted)}; selection_fingerprint is of another text`,
    {
      suggestion:
        "Read the document again with selectionHash. Then send the edit with the new range and version.",
      details: { line, expected: fingerprint, actual, text: quoted },
    },
  );
}
