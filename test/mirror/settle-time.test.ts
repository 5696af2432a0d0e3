import { describe, expect, test } from "vitest";
import { settleTimeFor } from "../../src/mirror/settle-time.ts";
import { Text } from "../../src/text/text.ts";

const KNOWN = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join("");
const decoded = (text: string) => ({ bom: false, text: Text.of(text) });
const needed = (now: string | undefined, open = false) =>
  settleTimeFor(now === undefined ? undefined : decoded(now), decoded(KNOWN), open);

describe("the settle time of a file written in place", () => {
  const edited = needed(KNOWN.replace("line 7", "line seven"));

  test("[I5] is zero when text was only appended, or nothing changed", () => {
    for (const open of [false, true])
      expect([needed(`${KNOWN}more\n`, open), needed(KNOWN, open)]).toEqual([0, 0]);
    expect([needed(`${KNOWN}mo`), needed(`${KNOWN}mo`, true)]).toEqual([0, needed("", true)]);
  });

  test("[I5] is two looks when it was edited, also when it became shorter", () => {
    expect(edited).toBeGreaterThan(0);
    expect(needed(KNOWN.replace("line 7", ""))).toBe(edited);
  });

  test("[I5] is longer when it lost its end, whatever else changed in it", () => {
    const cut = [KNOWN.slice(0, 100), KNOWN.replace("line 7", "LINE 7").slice(0, 100), "", undefined];
    for (const now of cut) expect(needed(now)).toBeGreaterThan(edited);
  });

  test("[I5] is longest while a process has it open for writing", () => {
    expect(needed(KNOWN.replace("line 7", "line seven"), true)).toBeGreaterThan(needed(""));
  });
});
