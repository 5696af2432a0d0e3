import { expect, test } from "vitest";
import { sharedLines } from "../../src/text/shared-lines.ts";

test("[LV41] the share of two texts is that of the longer one, in lines that both have", () => {
  expect(sharedLines("a\nb\n", "a\nb\n")).toBe(1);
  expect(sharedLines("a\nb\n", "b\na\nc\nd\n")).toBe(0.5);
  expect(sharedLines("a\na\n", "a\nb\n")).toBe(0.5);
  expect(sharedLines("a\n", "b\n")).toBe(0);
});

test("[LV41] empty texts share nothing", () => {
  expect(sharedLines("", "")).toBe(0);
});
