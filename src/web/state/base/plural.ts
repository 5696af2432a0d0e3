/** Returns a number with its noun, as `1 edit` or `2,000 edits`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
