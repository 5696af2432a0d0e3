import {
  Compartment,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
} from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { timeAgo } from "../../../parts/ago.tsx";
import { authorName } from "../../../state/authors.ts";
import { showError } from "../../../state/messages.ts";
import { colours } from "./colours.ts";

/** Who put a stretch of the text there; in the editor's positions. */
export interface EditorBlameRun {
  readonly from: number;
  readonly to: number;
  /** Undefined for what is older than the history that is kept. */
  readonly change: BlamedChange | undefined;
}

export interface BlamedChange {
  readonly changeId: string;
  readonly author: string;
  readonly agent: string;
  readonly time: string;
  readonly message: string | undefined;
}

export interface BlameOptions {
  /** The runs of some lines (1-based, both included); undefined when the text moved on meanwhile. */
  readonly runsOf: (first: number, last: number) => Promise<readonly EditorBlameRun[] | undefined>;
  /** A line is pointed at: what is known of it, and where its mark is. */
  readonly pointed: (change: BlamedChange, mark: DOMRect) => void;
  readonly left: () => void;
}

/** Changes come in bursts, as typing does; lines are asked about once it is still for so long. */
const SETTLE_MS = 250;

class BlameMark extends GutterMarker {
  readonly change: BlamedChange | undefined;
  /** The line above is of another change. */
  readonly #first: boolean;

  constructor(change: BlamedChange | undefined, first: boolean) {
    super();
    this.change = change;
    this.#first = first;
  }

  override eq(other: BlameMark): boolean {
    return other.change?.changeId === this.change?.changeId && other.#first === this.#first;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement("div");
    mark.className = "cm-blame-mark";
    if (this.change === undefined) return mark;
    mark.setAttribute("style", colours(this.change.author));
    if (!this.#first) return mark;
    const name = document.createElement("span");
    name.append(authorName(this.change.author));
    const when = document.createElement("time");
    when.append(timeAgo(Date.parse(this.change.time), Date.now()));
    mark.append(name, when);
    return mark;
  }
}

interface LoadedMarks {
  readonly from: number;
  readonly to: number;
  readonly marks: readonly Range<BlameMark>[];
}

const setMarks = StateEffect.define<LoadedMarks>();

const marks = StateField.define<RangeSet<BlameMark>>({
  create: () => RangeSet.empty,
  update(before, { changes, effects }) {
    let after = before.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const { from, to, marks } = effect.value;
      after = after.update({ filterFrom: from, filterTo: to, filter: () => false, add: marks });
    }
    return after;
  },
});

const gutterCompartment = new Compartment();

/** The gutter that says who wrote each line, hidden at first. Only lines in view are asked about. */
export const blameGutter: Extension = gutterCompartment.of([]);

export function showBlame(view: EditorView, options: BlameOptions | undefined): void {
  view.dispatch({ effects: gutterCompartment.reconfigure(options === undefined ? [] : gutterOf(options)) });
}

/** Who wrote most lately on the line at a position, and where that is said; undefined where it is not known. */
export function blamedAt(view: EditorView, position: number): BlamedChange | undefined {
  const { from } = view.state.doc.lineAt(position);
  let found: BlamedChange | undefined;
  view.state.field(marks, false)?.between(from, from, (at, _to, { change }) => {
    if (at === from) found = change;
  });
  return found;
}

function gutterOf({ runsOf, pointed, left }: BlameOptions): Extension {
  const asking = ViewPlugin.define((view) => new BlameLoader(view, runsOf));
  const bar = gutter({
    class: "cm-blame",
    markers: (view) => view.state.field(marks),
    domEventHandlers: {
      mouseover: (view, { from }, event) => {
        const change = blamedAt(view, from);
        const mark = (event.target as Element).closest(".cm-gutterElement");
        if (change !== undefined && mark !== null) pointed(change, mark.getBoundingClientRect());
        return false;
      },
      mouseout: () => {
        left();
        return false;
      },
    },
  });
  return [marks, asking, bar];
}

/** Asks who wrote the lines in view, whenever those or their text change. */
class BlameLoader {
  readonly #view: EditorView;
  readonly #runsOf: BlameOptions["runsOf"];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(view: EditorView, runsOf: BlameOptions["runsOf"]) {
    this.#view = view;
    this.#runsOf = runsOf;
    this.#later(0);
  }

  update({ docChanged, viewportChanged }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.#later(SETTLE_MS);
  }

  destroy(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#ask().catch((error) => showError("Who wrote this is not known", error)),
      ms,
    );
  }

  async #ask(): Promise<void> {
    const { viewport, state } = this.#view;
    const first = state.doc.lineAt(viewport.from).number;
    const last = state.doc.lineAt(viewport.to).number;
    const runs = await this.#runsOf(first, last);
    if (this.#ended) return;
    if (runs === undefined || this.#view.state.doc !== state.doc) return this.#later(SETTLE_MS);
    const { from } = state.doc.line(first);
    const { to } = state.doc.line(last);
    this.#view.dispatch({ effects: setMarks.of({ from, to, marks: marksOf(runs, state.doc, first, last) }) });
  }
}

function marksOf(
  runs: readonly EditorBlameRun[],
  doc: EditorView["state"]["doc"],
  first: number,
  last: number,
) {
  const made: Range<BlameMark>[] = [];
  let at = 0;
  let above: string | undefined | null = null;
  for (let number = first; number <= last; number++) {
    const line = doc.line(number);
    while (at < runs.length && runs[at]!.to <= line.from) at++;
    let newest: EditorBlameRun | undefined;
    for (let i = at; i < runs.length && (runs[i]!.from < line.to || runs[i]!.from === line.from); i++)
      if (newest === undefined || timeOf(runs[i]!) > timeOf(newest)) newest = runs[i];
    const change = newest?.change;
    made.push(new BlameMark(change, change?.changeId !== above).range(line.from));
    above = change?.changeId;
  }
  return made;
}

function timeOf({ change }: EditorBlameRun): string {
  return change?.time ?? "";
}
