/** Control characters, which can control a terminal; tabs and line breaks are excluded. */
const CONTROL = /(?!\t|\n|\r\n)\p{Cc}/u;
/**
 * Characters that show nothing or reverse the direction of the text after them, which makes one text look like
 * another.
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|[\u2028\u2029\ufff9-\ufffb]/u;
/** Joiners in scripts that need them, and variation selectors after a character that has variants. */
const LEGITIMATE = new RegExp(
  [
    /(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}])[\u200c\u200d]/u,
    /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/u,
    /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/u,
    /(?<=[0-9#*])\ufe0f(?=\u20e3)/u,
    /(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u,
    /(?<=\p{Script=Mongolian})[\u180b-\u180f]/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "u",
);
const MISLEADING = new RegExp(`${CONTROL.source}|(?!${LEGITIMATE.source})(?:${INVISIBLE.source})`, "gu");

const CONTROLS = /(?!\t)\p{Cc}/gu;

const DELETE = 0x7f;
const C1 = 0x80;

/**
 * Returns a text with misleading characters made visible, as `␛` or `<202e>`. Text from others can then neither
 * control a terminal nor look like a different text. Tabs and line breaks stay.
 */
export function visible(text: string): string {
  return text.replace(MISLEADING, visibleCharacter);
}

function visibleCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code >= C1) return `<${code.toString(16)}>`;
  return String.fromCodePoint(code === DELETE ? 0x2421 : 0x2400 + code);
}

/** Returns a text on one line, with line breaks and other control characters made visible; tabs stay. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, visibleCharacter);
}

/** Returns a text as `visible` does, but on one line. */
export function visibleLine(text: string): string {
  return oneLine(visible(text));
}

/** Returns JSON with misleading characters escaped; its value is the same. */
export function visibleJson(json: string): string {
  return json.replace(MISLEADING, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
