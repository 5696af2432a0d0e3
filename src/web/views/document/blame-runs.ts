import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { EditorBlameRun } from "./editor/blame.ts";
import type { TextEditor } from "./editor/text-editor.ts";

/** Returns the authors of some lines, in the editor's positions; undefined if the text changes during the request. */
export async function runsOf(
  { client, live, path, ended }: OpenDocument,
  { binding }: TextEditor,
  first: number,
  last: number,
): Promise<readonly EditorBlameRun[] | undefined> {
  if (ended.value !== undefined) return [];
  await live.settled();
  const { version, runs } = await client.blame({ path: path.value, lines: [first, last] });
  if (live.pending || version !== live.version) return undefined;
  return runs.map(({ from, to, changeId, author, agent, machine, time, message }) => ({
    from: binding.breaks.toEditor(from),
    to: binding.breaks.toEditor(to),
    change:
      changeId === null || author === null || agent === null || time === null
        ? undefined
        : { changeId, author, agent, machine, time, message },
  }));
}
