/** Words long enough to be told from one another. */
const WORDS = /[\p{L}\p{N}_]{4,}/gu;

/** The words of a text in their order, each as often as it is there. */
export function wordsOf(text: string): readonly string[] {
  return text.match(WORDS) ?? [];
}

/** How much of some words a text has, too, wherever; undefined for no words. */
export function shareQuoted(words: readonly string[], text: ReadonlySet<string>): number | undefined {
  return words.length === 0 ? undefined : words.filter((word) => text.has(word)).length / words.length;
}
