import { z } from "zod";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { countChars } from "../../text/positions.ts";
import type { Agent } from "../agent.ts";
import { namesOfAuthors } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { linesArgument, pathArgument } from "./arguments.ts";

/** Most lines in one answer. */
const MOST_LINES = 2_000;
/** Most UTF-16 units of text in one answer. Claude Code stores answers over 50,000 in a file. */
const MOST_UNITS = 48_000;

type Read = Result<"doc.read">;

export const readTool = defineTool({
  name: "read_document",
  formerly: "read",
  title: "Read a document",
  description:
    "Reads a document. The first line describes it and, of a long one, names the arguments for the next part. The " +
    "exact text follows, to be copied into `old`. Edits start from the text that you read; changes that others make " +
    "meanwhile stay.",
  reads: true,
  schema: z.strictObject({
    path: pathArgument,
    lines: linesArgument.optional(),
    range: z
      .array(z.int().min(0))
      .length(2)
      .optional()
      .describe("First character and the one after the last, instead of lines."),
  }),
  example: { path: "notes.md", lines: [1, 40] },
  async run(agent, { path, lines, range }) {
    const now = await agent.caller.request("doc.open", { path });
    const seen = await agent.seen(now.path);
    const shown =
      range === undefined ? await byLines(agent, now, lines) : await byRange(agent, now.path, range);
    const { doc, part, text, next, place } = shown;
    const head = [`${doc.path}, version ${doc.version}, ${doc.chars === 0 ? "empty" : part}`];
    if (doc.eol !== "lf" && doc.eol !== "none") head.push(`line endings: ${doc.eol}`);
    if (next !== undefined) head.push(`continue with ${next}`);
    if (seen !== undefined && seen.version !== doc.version) {
      const since = await agent.since(doc.path, seen.version);
      head.push(`changed since you saw version ${seen.version}, by ${namesOfAuthors(since)}`);
    }
    // The text of the answer is known only now; the daemon notes exactly this text as seen.
    await agent.caller.request("doc.read", { path: doc.path, version: doc.version, ...place });
    return text === "" ? head.join("; ") : `${head.join("; ")}\n${text}`;
  },
});

interface ReadPart {
  readonly doc: Read;
  /** The name of this part of the document. */
  readonly part: string;
  readonly text: string;
  /** The arguments for the next part; undefined at the end. */
  readonly next: string | undefined;
  /** The part of the document that the text is. */
  readonly place: { readonly lines: [number, number] } | { readonly range: [number, number] };
}

async function byLines(
  { caller }: Agent,
  { path, lines: all }: Result<"doc.open">,
  wanted: readonly number[] | undefined,
): Promise<ReadPart> {
  const [from = 1, to = all] = wanted ?? [];
  const last = Math.min(to, from + MOST_LINES - 1);
  const doc = await caller.request("doc.read", { path, lines: [from, Math.max(last, 1)], unseen: true });
  const end = cutIndex(doc.text);
  const text = doc.text.slice(0, end);
  if (end < doc.text.length && !text.includes("\n")) {
    const { lineOffsets } = await caller.request("doc.read", {
      path,
      version: doc.version,
      range: [0, 0],
      lineOffsets: true,
      unseen: true,
    });
    const start = lineOffsets?.[from - 1] ?? 0;
    const stop = start + countChars(text);
    const next = `range: [${stop}, ${stop + MOST_UNITS}]`;
    const part = `the beginning of line ${from} of ${doc.lines}`;
    return { doc, part, text, next, place: { range: [start, stop] } };
  }
  const shownTo = Math.min(end < doc.text.length ? from + countBreaks(text) - 1 : last, doc.lines);
  const unfinished = shownTo < doc.lines;
  return {
    doc,
    part: `lines ${from}-${shownTo} of ${doc.lines}`,
    text,
    next: unfinished ? `lines: [${shownTo + 1}, ${Math.min(shownTo + MOST_LINES, doc.lines)}]` : undefined,
    place: { lines: [from, shownTo] },
  };
}

async function byRange({ caller }: Agent, path: string, [from, to]: readonly number[]): Promise<ReadPart> {
  const start = from!;
  const { chars } = await caller.request("doc.open", { path });
  const stop = Math.min(to!, start + MOST_UNITS, chars);
  const doc = await caller.request("doc.read", { path, range: [start, stop], unseen: true });
  const unfinished = stop < doc.chars;
  return {
    doc,
    part: `characters ${start}-${stop} of ${doc.chars}`,
    text: doc.text,
    next: unfinished ? `range: [${stop}, ${Math.min(stop + MOST_UNITS, doc.chars)}]` : undefined,
    place: { range: [start, stop] },
  };
}

/**
 * Returns the index at which a text that is too long is cut: after a line, or within a line that is too long itself.
 */
function cutIndex(text: string): number {
  if (text.length <= MOST_UNITS) return text.length;
  const line = text.lastIndexOf("\n", MOST_UNITS - 1);
  if (line >= 0) return line + 1;
  return text.codePointAt(MOST_UNITS - 1)! > 0xffff ? MOST_UNITS - 1 : MOST_UNITS;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}
