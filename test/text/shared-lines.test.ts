import { expect, test } from "vitest";
import { sharedLines } from "../../src/text/diff/shared-lines.ts";

test("[LV41] two texts share the lines that both have, wherever they are", () => {
  expect(sharedLines("a\nb\n", "a\nb\n")).toBe(4);
  expect(sharedLines("a\nb\n", "b\na\nc\nd\n")).toBe(4);
  expect(sharedLines("a\na\n", "a\nb\n")).toBe(2);
  expect(sharedLines("a\n", "b\n")).toBe(0);
});

test("[LV41] empty texts share nothing", () => {
  expect(sharedLines("", "")).toBe(0);
});
