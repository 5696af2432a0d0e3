/** A method: a name with a dot, or `undo` or `redo` in backticks or at the start of a sentence. */
const METHOD = /`?\b[a-z]+\.[a-z]+\b`?|`(?:undo|redo)`|(?<=^|[.:] )(?:undo|redo)\b/;
const QUOTE = /"(?:[^"\\]|\\.)*"/;

/**
 * Returns a message of the daemon in the words of a client that knows no methods. `wordsFor` returns the words for a
 * method or notification; undefined for a name that is none, which stays.
 */
export function withoutMethods(message: string, wordsFor: (method: string) => string | undefined): string {
  return outsideQuotes(message, METHOD, (found) => wordsFor(found.replaceAll("`", "")) ?? found);
}

/** Replaces what a pattern finds in a message. Text in quotes may come from a document, and stays unchanged. */
export function outsideQuotes(message: string, pattern: RegExp, words: (found: string) => string): string {
  const quoteOrFound = new RegExp(`${QUOTE.source}|${pattern.source}`, "g");
  return message.replace(quoteOrFound, (found) => (found.startsWith('"') ? found : words(found)));
}
