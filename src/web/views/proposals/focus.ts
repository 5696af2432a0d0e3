/** The id of the heading of the chosen proposal. */
export const TITLE_ID = "proposal-title";

export function rowId(id: string): string {
  return `row-${id}`;
}

let focusTitleOnMount = false;

/** Moves the focus to the heading, as the focused button disappears with each decision. */
export function focusTitle(): void {
  document.getElementById(TITLE_ID)?.focus();
}

/** Moves the focus to the heading of the next proposal once the page shows it. */
export function focusNextTitle(): void {
  focusTitleOnMount = true;
}

/** Moves the focus to a row; in a narrow window, which hides the list, to the heading of its proposal. */
export function focusRow(id: string): void {
  const row = document.getElementById(rowId(id));
  if (row?.checkVisibility()) row.focus();
  else focusNextTitle();
}

/** Returns, once, whether a new heading has to take the focus. */
export function takeTitleFocus(): boolean {
  const takes = focusTitleOnMount;
  focusTitleOnMount = false;
  return takes;
}
