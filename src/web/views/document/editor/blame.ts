import {
  Compartment,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
} from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { timeAgo } from "../../../parts/time-ago.ts";
import { showError } from "../../../state/base/messages.ts";
import { whoOf } from "../../../state/changes/authors.ts";
import { colours } from "./colours.ts";

/** A range of the text with the change that wrote it, in the editor's positions. */
export interface EditorBlameRun {
  readonly from: number;
  readonly to: number;
  /** Undefined if the change is older than the history. */
  readonly change: BlamedChange | undefined;
}

export interface BlamedChange {
  readonly changeId: string;
  readonly author: string;
  readonly agent: string;
  /** The other machine where it was made. */
  readonly machine: string | undefined;
  readonly time: string;
  readonly message: string | undefined;
}

interface BlameOptions {
  /** Returns the runs of some lines (1-based, both included); undefined if the text changed during the request. */
  readonly runsOf: (first: number, last: number) => Promise<readonly EditorBlameRun[] | undefined>;
  /** Called when the pointer enters the mark of a line. */
  readonly pointed: (change: BlamedChange, mark: DOMRect) => void;
  /** Called when the pointer leaves a mark. */
  readonly left: () => void;
}

/** Milliseconds without a change after which the page asks for the authors of lines. */
const SETTLE_MS = 250;

class BlameMark extends GutterMarker {
  readonly change: BlamedChange | undefined;
  /** Whether the line above belongs to another change. */
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
    name.append(whoOf(this.change));
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

/** The gutter with the author of each visible line, hidden at first. */
export const blameGutter: Extension = gutterCompartment.of([]);

export function showBlame(view: EditorView, options: BlameOptions | undefined): void {
  view.dispatch({ effects: gutterCompartment.reconfigure(options === undefined ? [] : gutterOf(options)) });
}

/** Returns the newest change of the line at a position; undefined if it is not known. */
export function blamedAt(view: EditorView, position: number): BlamedChange | undefined {
  const { from } = view.state.doc.lineAt(position);
  let found: BlamedChange | undefined;
  view.state.field(marks, false)?.between(from, from, (at, _to, { change }) => {
    if (at === from) found = change;
  });
  return found;
}

function gutterOf({ runsOf, pointed, left }: BlameOptions): Extension {
  const loader = ViewPlugin.define((view) => new BlameLoader(view, runsOf));
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
  return [marks, loader, bar];
}

/** Loads the authors of the visible lines whenever these lines or their text change. */
class BlameLoader {
  readonly #view: EditorView;
  readonly #runsOf: BlameOptions["runsOf"];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(view: EditorView, runsOf: BlameOptions["runsOf"]) {
    this.#view = view;
    this.#runsOf = runsOf;
    this.#loadIn(0);
  }

  update({ docChanged, viewportChanged }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.#loadIn(SETTLE_MS);
  }

  destroy(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #loadIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#load().catch((error) => showError("Could not load who wrote these lines", error)),
      ms,
    );
  }

  async #load(): Promise<void> {
    const { viewport, state } = this.#view;
    const first = state.doc.lineAt(viewport.from).number;
    const last = state.doc.lineAt(viewport.to).number;
    const runs = await this.#runsOf(first, last);
    if (this.#ended) return;
    if (runs === undefined || this.#view.state.doc !== state.doc) return this.#loadIn(SETTLE_MS);
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
  const lineMarks: Range<BlameMark>[] = [];
  let at = 0;
  let above: string | undefined | null = null;
  for (let number = first; number <= last; number++) {
    const line = doc.line(number);
    while (at < runs.length && runs[at]!.to <= line.from) at++;
    let newest: EditorBlameRun | undefined;
    for (let i = at; i < runs.length && (runs[i]!.from < line.to || runs[i]!.from === line.from); i++)
      if (newest === undefined || timeOf(runs[i]!) > timeOf(newest)) newest = runs[i];
    const change = newest?.change;
    lineMarks.push(new BlameMark(change, change?.changeId !== above).range(line.from));
    above = change?.changeId;
  }
  return lineMarks;
}

function timeOf({ change }: EditorBlameRun): string {
  return change?.time ?? "";
}
