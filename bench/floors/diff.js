import { isMainThread, parentPort } from "node:worker_threads";

// The floors' diff. As a worker it answers { before, now } with the splices.

/** The most lines after a difference among which the texts may meet again. */
const FAR = 100;

/** Returns splices from one text to another; where the texts do not meet again soon, one for all that differs. */
export function diff(before, now) {
  const [old, lines] = [linesOf(before), linesOf(now)];
  const splices = [];
  for (let [i, j] = [0, 0]; i < old.length || j < lines.length; ) {
    if (old[i]?.line === lines[j]?.line) {
      i++;
      j++;
      continue;
    }
    const [from, to] = [old[i]?.at ?? before.length, lines[j]?.at ?? now.length];
    [i, j] = meeting(old, lines, i, j);
    splices.push(...trimmed(from, before.slice(from, old[i]?.at), now.slice(to, lines[j]?.at)));
  }
  return splices;
}

/** Returns where two lists of lines have the same line again. */
function meeting(old, lines, i, j) {
  const isSame = (one, other) =>
    one < old.length && other < lines.length && old[one].line === lines[other].line;
  for (let far = 1; far <= FAR; far++)
    for (let near = far; near >= 0; near--) {
      if (isSame(i + far, j + near)) return [i + far, j + near];
      if (isSame(i + near, j + far)) return [i + near, j + far];
    }
  return [old.length, lines.length];
}

/** Returns the splice at a place, without what both texts begin and end with; none where they are the same. */
export function trimmed(at, before, now) {
  if (before === now) return [];
  const most = Math.min(before.length, now.length);
  let [head, tail] = [0, 0];
  while (head < most && before[head] === now[head]) head++;
  while (tail < most - head && before.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return [{ from: at + head, to: at + before.length - tail, insert: now.slice(head, now.length - tail) }];
}

/** Returns the lines of a text with their breaks and places. */
function linesOf(text) {
  const lines = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    lines.push({ line: text.slice(at, end), at });
    at = end;
  }
  return lines;
}

if (!isMainThread) parentPort.on("message", ({ before, now }) => parentPort.postMessage(diff(before, now)));
