import { diff } from "../../text/diff.ts";
import { adoptEol, lineBody } from "../../text/lines.ts";
import type { Unit } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { digestText } from "../versions/digest.ts";
import { commentLines } from "./comments.ts";
import type { Base, Planner } from "./plan.ts";

/** An edit at a cursor or a selection; positions are the caller's. Nothing that is left out is assumed. */
export interface LegacyEdit {
  readonly op: "insert" | "replace" | "delete" | "annotate";
  readonly content?: string | undefined;
  readonly cursor?: number | undefined;
  readonly selection?: Range | undefined;
  /** The whole text is meant. */
  readonly document?: boolean | undefined;
  /** SHA-256 of what the caller takes to be in the range, hex. */
  readonly fingerprint?: string | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Characters of what is there instead that are shown. */
const SHOWN = 200;
/** What has to stay the first line of its file. */
const FIRST = /^(#!|<\?xml|<!doctype)/i;

/** `edit.legacy`: inserts at a cursor, replaces or deletes a selection, puts a comment above one. */
export function planLegacy(path: string, edit: LegacyEdit, unit: Unit): Planner {
  return (base) => {
    const { text } = base;
    const unclear = misshapen(edit);
    if (unclear !== undefined) return unclear;
    const selection = edit.document ? { from: 0, to: text.chars } : inside(text, edit.selection, unit);
    if (selection instanceof Refusal) return selection;
    const cursor = inside(
      text,
      edit.cursor === undefined ? undefined : { from: edit.cursor, to: edit.cursor },
      unit,
    );
    if (cursor instanceof Refusal) return cursor;
    const changed = selection && fingerprintRefusal(text, selection, edit.fingerprint);
    if (changed !== undefined) return changed;
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

/** A comment on lines of its own, above the line that holds a position, indented as that is. */
function annotation(path: string, { text, eol }: Base, at: number, remark: string): Outcome<Splice[]> {
  const number = text.lineAt(at);
  const line = text.chars === 0 ? "" : text.lineSlice(number, number);
  if (number === 1 && FIRST.test(line))
    return new Refusal(
      "INVALID_ARGUMENT",
      `line 1 is ${JSON.stringify(lineBody(line))} and has to stay first`,
      {
        suggestion: "Annotate the line below it.",
      },
    );
  const comment = commentLines(path, remark, /^[ \t]*/.exec(line)![0]);
  if (comment instanceof Refusal) return comment;
  const ending = line.endsWith("\r\n") || (!line.endsWith("\n") && eol === "crlf") ? "\r\n" : "\n";
  const from = text.lineStart(number);
  return [{ from, to: from, insert: comment.map((one) => one + ending).join("") }];
}

/** What is missing or does not go together, so that a guess would be needed. */
function misshapen(edit: LegacyEdit): Refusal | undefined {
  const { op, content, cursor, selection, document, fingerprint } = edit;
  if (document && (op !== "replace" || selection !== undefined))
    return unclear("document goes with replace, and without a target_range");
  if ((op === "replace" || op === "delete") && selection === undefined && !document)
    return unclear(
      `${op} needs the range that it is meant for${op === "replace" ? ", or document: true" : ""}`,
      "Name target_range as [from, to]; without a place in the text, send edit.patch.",
    );
  if ((op === "insert" || op === "annotate") && cursor === undefined && selection === undefined)
    return unclear(
      `${op} needs a place; the start of the document is not assumed`,
      "Name cursor or target_range; without a place in the text, send edit.patch.",
    );
  if ((op === "replace" || op === "delete") && selection?.from === selection?.to && !document)
    return unclear(
      `target_range ${selection!.from}..${selection!.to} is empty: there is nothing to ${op}`,
      "Name the text that is meant, or insert at a cursor.",
    );
  if (op === "delete" ? content !== undefined : content === undefined)
    return unclear(op === "delete" ? "delete takes no content" : `${op} needs content`);
  if (content === "" && op !== "replace") return unclear(`there is nothing to ${op}: content is empty`);
  if (fingerprint !== undefined && selection === undefined && !document)
    return unclear("selection_fingerprint is of a target_range, and there is none");
  return undefined;
}

function unclear(message: string, suggestion = "See edit.legacy in docs/protocol.md."): Refusal {
  return new Refusal("INVALID_ARGUMENT", message, { suggestion });
}

/** A range in code points, or undefined where none is given. */
function inside(text: Text, range: Range | undefined, unit: Unit): Outcome<Range | undefined> {
  if (range === undefined) return undefined;
  const from = text.convert(range.from, unit, "utf-32");
  const to = text.convert(range.to, unit, "utf-32");
  if (from !== undefined && to !== undefined && from <= to) return { from, to };
  return new Refusal(
    "INVALID_POSITION",
    `${range.from}..${range.to} is outside the text, inside a character or backwards`,
    {
      suggestion: "Positions count from 0 in the text of the version you name; read the document again.",
      details: { chars: text.chars },
    },
  );
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
  const shown = text.slice(from, Math.min(to, from + SHOWN));
  return new Refusal(
    "STALE_VERSION",
    `the range begins in line ${line} with ${JSON.stringify(shown)}; that is not what selection_fingerprint is of`,
    {
      suggestion:
        "Read the document again with selectionHash, and send the edit with that range and version.",
      details: { line, expected: fingerprint, actual, text: shown },
    },
  );
}
