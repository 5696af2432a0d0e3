/** Words of at least four characters; shorter ones occur in most texts by chance. */
const LONG_WORDS = /[\p{L}\p{N}_]{4,}/gu;

/** Returns the long words of a text in their order, repeated ones included. */
export function wordsOf(text: string): readonly string[] {
  return text.match(LONG_WORDS) ?? [];
}

/** Returns the share of `words` that `text` contains; undefined if there are no words. */
export function sharedWords(words: readonly string[], text: ReadonlySet<string>): number | undefined {
  return words.length === 0 ? undefined : words.filter((word) => text.has(word)).length / words.length;
}
