/** Control characters but tabs and line breaks. */
const CONTROL = /(?!\t|\n|\r\n)\p{Cc}/gu;
const [DELETE, C1] = [0x7f, 0x80] as const;

/** A text with its control characters in sight, `␛` or `<9b>`, so that what others wrote moves nobody's terminal. */
export function visible(text: string): string {
  return text.replace(CONTROL, (character) => {
    const code = character.charCodeAt(0);
    if (code >= C1) return `<${code.toString(16)}>`;
    return String.fromCharCode(code === DELETE ? 0x2421 : 0x2400 + code);
  });
}
