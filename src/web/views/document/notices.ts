import { type ReadonlySignal, signal } from "@preact/signals";
import { authorName } from "../../state/authors.ts";
import type { OpenDocument } from "../../state/open-documents.ts";

/** Something that happened to the document which its people should know. */
export interface Notice {
  readonly id: number;
  readonly tone: "info" | "bad";
  readonly text: string;
  readonly more: string | undefined;
  /** What takes it back: a change to undo, and what that is called. */
  readonly undo: { readonly changeId: string; readonly label: string } | undefined;
}

let next = 0;

/** Collects what is told of rescued saves, conflicts and refused edits of this document, until `end`. */
export function followNotices({ client, path }: OpenDocument): {
  readonly notices: ReadonlySignal<readonly Notice[]>;
  readonly dismiss: (id: number) => void;
  readonly end: () => void;
} {
  const notices = signal<readonly Notice[]>([]);
  const add = (at: string, notice: Omit<Notice, "id">) => {
    if (at === path.value) notices.value = [...notices.value.slice(-4), { id: next++, ...notice }];
  };
  const ends = [
    client.on("doc.rescued", (told) =>
      add(told.path, {
        tone: "info",
        text: `A save from an older version lacked what ${names(told.authors)} wrote. Both are kept.`,
        more: undefined,
        undo: { changeId: told.changeId, label: "Undo the rescue" },
      }),
    ),
    client.on("doc.conflict", ({ path: at, author, superseded, conflicts }) =>
      add(at, {
        tone: "bad",
        text:
          superseded === undefined
            ? `${names([author])} and others changed the same text in ${conflicts.length === 1 ? "a place" : `${conflicts.length} places`}; both stay.`
            : `A save took out what ${names(superseded.authors)} wrote. It stands.`,
        more: superseded === undefined ? "Read it through, and take out what should go." : undefined,
        undo: superseded && { changeId: superseded.changeId, label: "Bring it back" },
      }),
    ),
    client.on("edit.rejected", (told) =>
      add(told.path, {
        tone: "bad",
        text: `An edit of ${names([told.author])} was refused: ${told.message}`,
        more: told.suggestion,
        undo: undefined,
      }),
    ),
  ];
  return {
    notices,
    dismiss: (id) => {
      notices.value = notices.value.filter((each) => each.id !== id);
    },
    end: () => {
      for (const stop of ends) stop();
    },
  };
}

const listed = new Intl.ListFormat("en");

function names(authors: readonly string[]): string {
  return listed.format(authors.map(authorName));
}
