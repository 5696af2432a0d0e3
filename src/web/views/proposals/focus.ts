/** The id of the heading of what is looked at. */
export const TITLE_ID = "proposal-title";

export function rowId(id: string): string {
  return `row-${id}`;
}

let focusTitleOnMount = false;

/** Puts the focus where what is looked at begins, as what had it goes with each decision. */
export function focusTitle(): void {
  document.getElementById(TITLE_ID)?.focus();
}

/** The heading of what is shown next takes the focus. */
export function focusNextTitle(): void {
  focusTitleOnMount = true;
}

/** Goes on from a row; in a narrow window, where the list is out of the way, from what it leads to. */
export function focusRow(id: string): void {
  const row = document.getElementById(rowId(id));
  if (row?.checkVisibility()) row.focus();
  else focusNextTitle();
}

/** For a heading that is new: whether it takes the focus. */
export function takeTitleFocus(): boolean {
  const takes = focusTitleOnMount;
  focusTitleOnMount = false;
  return takes;
}
