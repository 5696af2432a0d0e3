import { describe, expect, test } from "vitest";
import { countTo, parseTime } from "../../src/cli/terminal/arguments.ts";

const NOW = new Date(2026, 10, 22, 15, 30, 0);
const at = (given: string) => parseTime(given, undefined, NOW);

describe("a time on the command line", () => {
  for (const [given, expected] of [
    ["14:00", new Date(2026, 10, 22, 14, 0, 0)],
    ["9:05:30", new Date(2026, 10, 22, 9, 5, 30)],
    ["10m", new Date(2026, 10, 22, 15, 20, 0)],
    ["2h", new Date(2026, 10, 22, 13, 30, 0)],
    ["3d", new Date(2026, 10, 19, 15, 30, 0)],
    ["2026-11-22T12:00", new Date(2026, 10, 22, 12, 0, 0)],
    ["2026-11-22T12:00:00Z", new Date(Date.UTC(2026, 10, 22, 12))],
  ] as const)
    test(`[US8] ${given}`, () => expect(at(given)).toEqual(expected));

  for (const given of ["", "soon", "24:00", "14:60", "10", "10y", "2026-13-01T00:00", "1"])
    test(`[US8] not ${JSON.stringify(given)}`, () => expect(() => at(given)).toThrow(/Give a time/));

  test("[US8] not a time to come", () => expect(() => at("16:00")).toThrow(/future/));
});

describe("[TM33] a count on the command line", () => {
  test("is a whole number from 1 to the most that the daemon takes", () => {
    expect([countTo(1000)("1"), countTo(1000)("1000")]).toEqual([1, 1000]);
  });

  for (const given of ["0", "1001", "-1", "1.5", "", "x", "99999999999999999999"])
    test(`is not ${JSON.stringify(given)}`, () =>
      expect(() => countTo(1000)(given)).toThrow(/Give a whole number from 1/));
});
