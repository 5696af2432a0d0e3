import { trimmed } from "./diff.js";

/** Returns the splices of a unified diff of one file. Each hunk goes to the place that is nearest to where it should be. */
export function placed(text, patch) {
  const starts = [0];
  for (let at = text.indexOf("\n") + 1; at > 0; at = text.indexOf("\n", at) + 1) starts.push(at);
  let moved = 0;
  return hunksOf(patch).flatMap(({ line, before, now }) => {
    const expected = line - 1 + moved;
    const found = nearest(starts.length, expected, (i) => text.startsWith(before, starts[i]));
    moved += found - expected;
    return trimmed(starts[found], before, now);
  });
}

/** Returns the number nearest to the expected one, from 0 to `count`, exclusive, that is right. */
function nearest(count, expected, isRight) {
  for (let far = 0; far < count; far++)
    for (const i of [expected + far, expected - far]) if (i >= 0 && i < count && isRight(i)) return i;
  throw new Error(`the hunk of line ${expected + 1} has no place`);
}

/** Returns the first line, the old and the new text of each hunk. */
function hunksOf(patch) {
  const hunks = [];
  for (const line of patch.split("\n")) {
    const head = /^@@ -(\d+)/.exec(line);
    const hunk = hunks.at(-1);
    if (head !== null) hunks.push({ line: Number(head[1]), before: "", now: "" });
    else if (hunk === undefined || line === "") continue;
    else {
      if (line[0] !== "+") hunk.before += `${line.slice(1)}\n`;
      if (line[0] !== "-") hunk.now += `${line.slice(1)}\n`;
    }
  }
  return hunks;
}
