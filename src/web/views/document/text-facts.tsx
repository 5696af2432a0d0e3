import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TextEditor } from "./editor/text-editor.ts";

/** Shows the position of the cursor, the number of lines and the line endings below the text. */
export function TextFacts({ editor }: { readonly editor: TextEditor }) {
  const facts = useSignal(factsOf(editor));
  useEffect(
    () =>
      editor.onChange(() => {
        facts.value = factsOf(editor);
      }),
    [editor],
  );
  const { line, column, lines, ends, isLong } = facts.value;
  return (
    <footer class="document-facts">
      <span>
        Line {line}, column {column}
      </span>
      <span class="spacer" />
      {isLong && (
        <span class="document-large" title="Large document: syntax colours are off">
          Large document: syntax colours are off
        </span>
      )}
      <span>{lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`}</span>
      {ends !== undefined && <span title="Line endings">{ends}</span>}
    </footer>
  );
}

function factsOf({ view, binding, isLong }: TextEditor) {
  const { doc, selection } = view.state;
  const { number, from } = doc.lineAt(selection.main.head);
  const breaks = doc.lines - 1;
  const crlf = binding.breaks.count;
  const lastIsEmpty = doc.line(doc.lines).length === 0 && breaks > 0;
  return {
    line: number,
    column: selection.main.head - from + 1,
    lines: lastIsEmpty ? breaks : doc.lines,
    isLong,
    ends: breaks === 0 ? undefined : crlf === 0 ? "LF" : crlf === breaks ? "CRLF" : "LF and CRLF",
  };
}
