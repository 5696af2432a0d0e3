import { describe, expect, test } from "vitest";
import { inTools } from "../../src/mcp/tool-words.ts";
import { mcpTools } from "../../src/mcp/tools.ts";
import { methods, notifications } from "../../src/protocol/schemas/schemas.ts";
import { NAMES, sentences } from "../helpers/refusal-sentences.ts";

describe("the words of a refusal for a model", () => {
  test("[MC6] name a tool, or a command, for every method that a refusal names", () => {
    const found = sentences();
    expect(found.length).toBeGreaterThan(30);
    const untranslated = found.filter(([, text]) =>
      inTools(text)
        .replace(/`spliced call [a-z.]+`/g, "")
        .match(NAMES),
    );
    expect(untranslated).toEqual([]);
    expect(found.filter(([, text]) => /\bcall (?:undo|redo)\b/i.test(inTools(text)))).toEqual([]);
  });

  test("[MC6] name tools that there are", () => {
    const tools: readonly string[] = mcpTools.map(({ name }) => name);
    const words = [...Object.keys(methods), ...Object.keys(notifications)].map(inTools);
    const used = words.filter((word) => /^[a-z]+_[a-z_]+$/.test(word));
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !tools.includes(name))).toEqual([]);
  });

  test.each([
    ["Call doc.list to see it, or `doc.create`.", "Call list_documents to see it, or write_document."],
    ["undo takes it back.", "undo_change takes it back."],
    ['The nearest is "call doc.read".', 'The nearest is "call doc.read".'],
    ["Raise limits.maxFileBytes in daemon.config.ts.", "Raise limits.maxFileBytes in daemon.config.ts."],
  ])("[MC6] %s", (wire, tool) => {
    expect(inTools(wire)).toBe(tool);
  });
});
