import { describe, expect, test } from "vitest";
import { isFor, isNamed } from "../../src/agent/mentions.ts";

describe("whom a message is for", () => {
  test.each([
    ["shorten it", true],
    ["@gemini shorten it", true],
    ["@Gemini: shorten it", true],
    ["@claude @gemini shorten it", true],
    ["@claude, ask @gemini.", true],
    ["@claude shorten it", false],
    ["@gemini-pro shorten it", false],
    ["mail me@claude.example", true],
    ["change the rule @media (print)", true],
  ])("[AW9] %j is for gemini: %s", (text, expected) => {
    expect(isFor("gemini", text)).toBe(expected);
  });

  test("[AW9] only a name of its own names an agent", () => {
    expect(isNamed("gemini", "shorten it")).toBe(false);
    expect(isNamed("gemini", "is (@gemini) here?")).toBe(true);
  });
});
