import { EditorState, Transaction } from "@codemirror/state";

/** What adds no more characters at once is left to the daemon. */
const SMALL_EDIT = 4_096;

export interface SizeLimit {
  /** The most UTF-8 bytes that a document may have. */
  readonly file: number;
  /** The most that one edit may have on its way. */
  readonly edit: number;
  readonly refused: (bytes: number, limit: number) => void;
}

/** What would make the document larger than it may be, or an edit that is too large to send, is not made. */
export function sizeLimit({ file, edit, refused }: SizeLimit) {
  return EditorState.transactionFilter.of((transaction) => {
    if (!transaction.docChanged || transaction.annotation(Transaction.remote)) return transaction;
    const { newDoc, changes } = transaction;
    let inserted = "";
    changes.iterChanges((_from, _to, _at, _end, text) => {
      if (text.length > SMALL_EDIT) inserted += text.toString();
    });
    if (inserted === "") return transaction;
    const bytes = bytesOf(newDoc.toString());
    if (bytes > file) return over(bytes, file);
    const sent = bytesOf(JSON.stringify(inserted));
    return sent > edit ? over(sent, edit) : transaction;
  });

  function over(bytes: number, limit: number): [] {
    // Not from within the editor's own work.
    queueMicrotask(() => refused(bytes, limit));
    return [];
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
