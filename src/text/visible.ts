/** Control characters but tabs and line breaks: they move a terminal. */
const CONTROL = /(?!\t|\n|\r\n)\p{Cc}/u;
/** What shows nothing, or turns the order of what follows: it makes a text look like another one. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|[\u2028\u2029\ufff9-\ufffb]/u;
/** Joiners where scripts are written with them, and what picks the look of the sign before it. */
const IN_ITS_PLACE = new RegExp(
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
const MISLEADING = new RegExp(`${CONTROL.source}|(?!${IN_ITS_PLACE.source})(?:${UNSEEN.source})`, "gu");

const DELETE = 0x7f;
const C1 = 0x80;

/**
 * A text with what misleads in sight, `␛` or `<202e>`, so that what others wrote moves nobody's terminal and looks
 * like nothing that it is not. Tabs and line breaks stay.
 */
export function visible(text: string): string {
  return text.replace(MISLEADING, (character) => {
    const code = character.codePointAt(0)!;
    if (code >= C1) return `<${code.toString(16)}>`;
    return String.fromCodePoint(code === DELETE ? 0x2421 : 0x2400 + code);
  });
}

/** The same on one line: line breaks are in sight, too. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\r", "␍").replaceAll("\n", "␊");
}

/** JSON in which what misleads is escaped, which is the same JSON. */
export function visibleJson(json: string): string {
  return json.replace(MISLEADING, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
