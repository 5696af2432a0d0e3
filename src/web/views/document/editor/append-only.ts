import { EditorState, Transaction } from "@codemirror/state";

/** Allows text only at the end. */
export const appendOnly = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(Transaction.remote)) return transaction;
  const { length } = transaction.startState.doc;
  let appends = true;
  transaction.changes.iterChangedRanges((from) => {
    if (from < length) appends = false;
  });
  return appends ? transaction : [];
});
