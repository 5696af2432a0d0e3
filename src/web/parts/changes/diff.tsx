import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../controls/button.tsx";
import { type DiffFile, type DiffHunk, type DiffLine, parseDiff, rangeText } from "./diff-lines.ts";
import { type Mark, wordMarks } from "./diff-words.ts";
import "./diff.css";

interface DiffProps {
  /** A unified diff, of one file or of several. */
  readonly diff: string;
  /** Renders the head of a hunk, by its index across all files. The default head names its lines. */
  readonly hunkHead?: (index: number, hunk: DiffHunk) => ComponentChildren;
  /** Number of lines at first; a button shows more. */
  readonly lines?: number;
}

const MOST_LINES = 2_000;

/** Shows a unified diff with the changed words marked. Copied text has no line numbers. */
export function Diff({ diff, hunkHead, lines = MOST_LINES }: DiffProps) {
  const [more, setMore] = useState(0);
  const files = useMemo(() => parseDiff(diff), [diff]);
  const all = files.reduce((sum, { hunks }) => sum + linesIn(hunks), 0);
  const { shown, left } = useMemo(() => cut(files, lines + more), [files, lines, more]);
  let index = 0;
  return (
    <div class="diff">
      {shown.map(({ path, hunks }, file) => (
        <div key={file} class="diff-file">
          {files.length > 1 && path !== undefined && <h3 class="diff-path">{path}</h3>}
          {hunks.map((hunk) => {
            const i = index++;
            return <DiffHunkView key={i} hunk={hunk} head={hunkHead?.(i, hunk)} />;
          })}
        </div>
      ))}
      {(left > 0 || more > 0) && (
        <div class="diff-more">
          {left > 0 && (
            <Button onClick={() => setMore(more + MOST_LINES)}>
              {left <= MOST_LINES ? `Show all ${all} lines` : `Show ${MOST_LINES} of ${left} more lines`}
            </Button>
          )}
          {more > 0 && <Button onClick={() => setMore(0)}>Show less</Button>}
        </div>
      )}
    </div>
  );
}

function DiffHunkView({ hunk, head }: { readonly hunk: DiffHunk; readonly head: ComponentChildren }) {
  const marks = useMemo(() => wordMarks(hunk.lines), [hunk]);
  return (
    <section class="diff-hunk">
      <div class="diff-head">{head ?? rangeText(hunk)}</div>
      <div class="diff-lines">
        {hunk.lines.map((line, i) => (
          <DiffLineView key={i} line={line} marks={marks.get(line)} />
        ))}
      </div>
    </section>
  );
}

/** Elements that give a screen reader the meaning of the colours. */
const ELEMENTS = { same: "span", removed: "del", added: "ins" } as const;

function DiffLineView({
  line,
  marks = [],
}: {
  readonly line: DiffLine;
  readonly marks?: readonly Mark[] | undefined;
}) {
  const Element = ELEMENTS[line.kind];
  return (
    <div class={`diff-line ${line.kind}`}>
      <span class="diff-number" data-number={line.old} />
      <span class="diff-number" data-number={line.now} />
      <Element class="diff-text">
        {line.text === "" ? <br /> : markedText(line.text, marks)}
        {line.unended && <span class="diff-unended" title="No line break at the end" />}
      </Element>
    </div>
  );
}

function markedText(text: string, marks: readonly Mark[]): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const { from, to } of marks) {
    out.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  out.push(text.slice(at));
  return out;
}

/** Returns the first `lines` lines of the files, and the number of lines after them. */
function cut(
  files: readonly DiffFile[],
  lines: number,
): { readonly shown: readonly DiffFile[]; readonly left: number } {
  let room = lines;
  let left = 0;
  const shown = files.map(({ path, hunks }) => ({
    path,
    hunks: hunks.flatMap((hunk) => {
      const take = Math.min(room, hunk.lines.length);
      room -= take;
      left += hunk.lines.length - take;
      if (take === 0) return [];
      return take === hunk.lines.length ? hunk : { ...hunk, lines: hunk.lines.slice(0, take) };
    }),
  }));
  return { shown: shown.filter(({ hunks }) => hunks.length > 0), left };
}

function linesIn(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0);
}
