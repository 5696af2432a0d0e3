/**
 * Text in quotes, which may come from a document and stays unchanged; or a method. A method is a name with a dot, or
 * `undo` or `redo` in backticks or at the start of a sentence.
 */
const QUOTE_OR_METHOD =
  /"(?:[^"\\]|\\.)*"|`?\b[a-z]+\.[a-z]+\b`?|`(?:undo|redo)`|(?<=^|[.:] )(?:undo|redo)\b/g;

/**
 * Returns a message of the daemon in the words of a client that knows no methods. `wordsFor` returns the words for a
 * method or notification; undefined for a name that is none, which stays.
 */
export function withoutMethods(message: string, wordsFor: (method: string) => string | undefined): string {
  return message.replace(QUOTE_OR_METHOD, (found) =>
    found.startsWith('"') ? found : (wordsFor(found.replaceAll("`", "")) ?? found),
  );
}
