/** The size of a compiled regex, estimated from its text alone. Compiling itself is the work to bound. */
interface RegexSize {
  /** The most instructions that it compiles to; a character class counts by the work of building it. */
  readonly instructions: number;
  readonly groups: number;
}

/** The characters of a class that count as one instruction. */
const CLASS_UNITS = 16;
/** The instructions that a Unicode property counts as; it contains hundreds of ranges. */
const PROPERTY = 8;

/** Returns the size of a regex in one pass. An invalid regex has a size, too. */
export function regexSize(pattern: string): RegexSize {
  const outer: number[] = [];
  let size = 2;
  let last = 0; // the part that a repetition would multiply
  let groups = 0;
  const add = (part: number) => {
    size += part;
    last = part;
  };
  for (let i = 0; i < pattern.length; ) {
    const rest = STEP.exec(pattern.slice(i, i + LONGEST_STEP))![0];
    let end = i + rest.length;
    if (rest.startsWith("(") && !rest.endsWith(")")) {
      const captures = !rest.endsWith(":");
      outer.push(size);
      size = captures ? 2 : 0;
      last = 0;
      if (captures) groups++;
    } else if (rest.startsWith("(")) {
      // Flags: a repetition after them multiplies the part before them.
    } else if (rest === ")") {
      const part = size;
      size = outer.pop() ?? 2;
      add(part);
    } else if (rest === "[") {
      end = classEnd(pattern, i);
      const properties = pattern.slice(i, end).match(/\\[pP]/g)?.length ?? 0;
      add(1 + Math.floor((end - i) / CLASS_UNITS) + properties * PROPERTY);
    } else if (rest === "\\Q") {
      const close = pattern.indexOf("\\E", end);
      const quoted = (close < 0 ? pattern.length : close) - end;
      if (quoted > 1) add(quoted - 1);
      if (quoted > 0) add(1); // a repetition after the quote repeats its last character
      end = close < 0 ? pattern.length : close + 2;
    } else if (rest.startsWith("{") && rest.length > 1) {
      const [least = 0, most = least] = rest.slice(1, -1).split(",").map(Number);
      // Each optional repetition is a fork, and `{2,}` has one.
      const counted = rest.endsWith(",}") ? (least + 1) * last + 1 : most * last + (most - least);
      size += counted - last;
      last = counted;
    } else if ("*+?|".includes(rest)) {
      size++;
      last = rest === "|" ? 0 : last + 1;
    } else add(/^\\[pP]/.test(rest) ? PROPERTY : 1);
    i = end;
  }
  return { instructions: outer.reduce((sum, part) => sum + part, size), groups };
}

/** The next unit of a pattern, apart from classes and quotes. */
const STEP =
  /^(?:\(\?(?:P?<\w{0,30}>|[a-zA-Z-]{0,10}[:)])|\{\d{1,8}(?:,\d{0,8})?\}|\\[pP]\{[^}]{0,40}\}|\\x\{[0-9a-fA-F]{0,10}\}|\\.|.)/su;
const LONGEST_STEP = 50;

/** Returns the end of the character class that opens at `open`; the pattern's end if the class is never closed. */
function classEnd(pattern: string, open: number): number {
  let i = open + (pattern[open + 1] === "^" ? 2 : 1);
  for (let first = true; i < pattern.length; first = false) {
    if (pattern[i] === "]" && !first) return i + 1;
    const named = pattern.startsWith("[:", i) ? pattern.indexOf(":]", i + 2) : -1;
    if (named >= 0) i = named + 2;
    else i += pattern[i] === "\\" ? 2 : 1;
  }
  return pattern.length;
}
