import { EditorState, Transaction } from "@codemirror/state";

/** Smaller insertions are not checked here; the daemon checks them. */
const SMALL_EDIT = 4_096;

interface SizeLimit {
  /** Most UTF-8 bytes of a document. */
  readonly file: number;
  /** Most UTF-8 bytes of one edit in a message. */
  readonly edit: number;
  readonly refused: (bytes: number, limit: number) => void;
}

/** Prevents an insertion that exceeds the limit of the document or of one edit. */
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
    // A transaction filter may not change the page, so the callback runs later.
    queueMicrotask(() => refused(bytes, limit));
    return [];
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
