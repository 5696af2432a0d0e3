import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skeleton } from "../../src/protocol/base/look-alikes.ts";
import { safeName } from "../../src/protocol/base/names.ts";
import { times } from "../e2e/long.ts";
import "../helpers/seeds.ts";

/** Names that look like `disk`, which only the daemon may use. */
const TWINS = [
  "disk",
  "Disk",
  "DISK",
  " disk ",
  "disk\u200b",
  "di\u00adsk",
  "\u202edisk\u202c",
  "disk\ufe0f",
  "d\u0456sk",
  "\u0501\u0456\u0455\u043a",
  "DlSK",
  "d1sk",
  "d\u00edsk",
  "d-i.s k",
  "\uff44\uff49\uff53\uff4b",
  "\u{1d41d}\u{1d422}\u{1d42c}\u{1d424}",
  "\u24d3\u24d8\u24e2\u24da",
  "\u{1f173}\u{1f178}\u{1f182}\u{1f17a}",
  "\ua4d3\ua4f2\ua4e2\ua4d7",
  "\u13a0\u13a5\u13da\u13e6",
];

describe("a safe name", () => {
  for (const twin of TWINS)
    test(`[NM2] ${JSON.stringify(twin)} is distinct from disk`, () =>
      expect(safeName(twin, "agent")).toMatch(/^.+ \(agent\)$/));

  const cases: [given: string, safe: string][] = [
    ["claude-code", "claude-code"],
    ["Анна", "Анна"],
    ["disks", "disks"],
    ["spliced", "spliced (mcp)"],
    ["s\u0440liced", "s\u0440liced (mcp)"],
    ["two\nlines\tand\u2028more", "two lines and more"],
    ["\u001b]0;title\u0007x", "]0;titlex"],
    ["a\u0301\u0301\u0301\u0301\u0301", "\u00e1\u0301\u0301"],
    ["", "mcp"],
    ["\u3164\u200d\u2800", "mcp"],
  ];
  for (const [given, safe] of cases)
    test(`[NM1] of ${JSON.stringify(given)} is ${JSON.stringify(safe)}`, () =>
      expect(safeName(given, "mcp")).toBe(safe));

  test("[NM1] of any string is short, on one line, visible, not the daemon's, and its own safe name", () => {
    const letter = fc.constantFrom(..."disklpce\u0456\u200b\u0301 \ud800\n", "\u{1f173}");
    const given = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: letter, maxLength: 200 }));
    fc.assert(
      fc.property(given, (name) => {
        const safe = safeName(name, "agent");
        expect(safe.length).toBeLessThanOrEqual(100);
        expect(safe).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
        expect(["disk", "spliced"].map(skeleton)).not.toContain(skeleton(safe));
        expect(safeName(safe, "mcp")).toBe(safe);
      }),
      { numRuns: times(75, 5_000) },
    );
  });
});
