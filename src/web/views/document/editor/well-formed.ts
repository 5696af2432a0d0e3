import { type ChangeSpec, EditorState, Transaction } from "@codemirror/state";

/** Replaces each half of a surrogate pair by U+FFFD, as the document has only whole characters. */
export const wellFormed = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(Transaction.remote)) return transaction;
  const changes: ChangeSpec[] = [];
  const { newDoc } = transaction;
  transaction.changes.iterChangedRanges((_from, _to, from, to) => {
    // One unit on each side may have lost its other half; the next unit shows whether it did.
    const start = Math.max(0, from - 2);
    const text = newDoc.sliceString(start, to + 2);
    if (text.isWellFormed()) return;
    for (const { index } of text.matchAll(/\p{Surrogate}/gu)) {
      const at = start + index;
      if (at >= from - 1 && at <= to) changes.push({ from: at, to: at + 1, insert: "\uFFFD" });
    }
  });
  return changes.length === 0 ? transaction : [transaction, { changes, sequential: true }];
});
