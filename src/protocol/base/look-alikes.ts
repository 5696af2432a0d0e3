/**
 * Characters that look like a letter of the daemon's own names, in lower case and without marks. They come
 * from Unicode's confusables (UTS 39), for these letters only.
 */
const LOOKS: Readonly<Record<string, string>> = {
  c: "сςϲⲥᴄꮯꓚ𐐽¢ƈȼ",
  d: "ԁᴅꭰꓓᗞᗪᑯđɗɖ",
  e: "еεҽєꓰꭼⲉⴹᴇ℮ꬲɛəә3",
  k: "кκϰᴋꮶꓗⲕᛕĸқҝӄҟҡƙⱪ",
  l: "iιіӏıɩɪꙇꭵᛁⵏꓲⲓǀוןا١۱ߊ∣1|!ɫłƚꓡʟꮮ",
  p: "рρϱⲣᴘꮲꓑᑭƥҏ⍴",
  s: "ѕꜱƽꮪꓢտꮥʂ$5",
};

const FOLDED: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS).flatMap(([letter, looks]) => [...looks].map((look) => [look, letter] as const)),
);

/** The code points of "a" among letters in squares and circles that NFKD leaves alone. */
const BOXED = [0x1f150, 0x1f170, 0x1f1e6];

/**
 * Returns the same string for all names that people could mistake for each other. Only letters and digits
 * count.
 */
export function skeleton(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const folded = [...plain].map((character) => FOLDED.get(character) ?? unboxed(character)).join("");
  return folded.replace(/[^\p{L}\p{N}]/gu, "").replaceAll("cl", "d");
}

function unboxed(character: string): string {
  const code = character.codePointAt(0)!;
  const start = BOXED.find((first) => code >= first && code < first + 26);
  const letter = start === undefined ? character : String.fromCharCode(0x61 + code - start);
  return FOLDED.get(letter) ?? letter;
}
