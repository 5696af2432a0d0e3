import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Number of characters at the beginning of a line that are searched for such letters. */
const SEARCHED = 1_000;

const auto = Decoration.line({ attributes: { dir: "auto" } });

const directions = ViewPlugin.define(
  (view) => ({
    lines: linesOf(view),
    update({ docChanged, viewportChanged, view: now }: ViewUpdate) {
      if (docChanged || viewportChanged) this.lines = linesOf(now);
    },
  }),
  { decorations: ({ lines }) => lines },
);

/** Begins each line on the side where its first letter is written from. */
export const textDirection: Extension = [EditorView.perLineTextDirection.of(true), directions];

/** Marks the visible lines that have letters of such a script; the browser finds the direction of a marked line. */
function linesOf({ visibleRanges, state: { doc } }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let done = -1;
  for (const { from, to } of visibleRanges)
    for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
      if (line.from > done && RIGHT_TO_LEFT.test(line.text.slice(0, SEARCHED)))
        builder.add(line.from, line.from, auto);
      done = Math.max(done, line.from);
      if (line.to >= to || line.number === doc.lines) break;
    }
  return builder.finish();
}
