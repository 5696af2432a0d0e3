import { type ChangeSpec, EditorState, Transaction } from "@codemirror/state";

/** A character in two units is taken whole; what is left of one, which is no text, becomes U+FFFD. */
export const wellFormed = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(Transaction.remote)) return transaction;
  const changes: ChangeSpec[] = [];
  const { newDoc } = transaction;
  transaction.changes.iterChangedRanges((_from, _to, from, to) => {
    // Beyond one more unit on each side nothing changed, and one more still tells what that is half of.
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
