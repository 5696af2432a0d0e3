/** The longest line of help on a wide terminal. */
const WIDEST = 120;

/**
 * Returns a text of help whose paragraphs fit a terminal of `columns`. Lines that begin with a space are examples or
 * lists, which stay as they are.
 */
export function fitted(text: string, columns: number): string {
  const width = Math.min(columns, WIDEST);
  const lines: string[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isProse = /^\S/.test(line);
    if (!isProse) lines.push(line);
    else
      for (const word of line.split(" ")) {
        const last = lines.at(-1);
        if (isOpen && last !== undefined && last.length + 1 + word.length <= width)
          lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
        isOpen = true;
      }
    isOpen = isProse && !line.endsWith(":");
  }
  return lines.join("\n");
}
