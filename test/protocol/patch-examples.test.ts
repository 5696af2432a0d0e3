import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { greeted } from "./talk.ts";

const page = readFileSync(new URL("../../docs/patches.md", import.meta.url), "utf8");
const document = /```text\n([\s\S]*?)```/.exec(page)![1]!;
const examples = [...page.matchAll(/```diff\n([\s\S]*?)```\n\nAnswer: (\S+)/g)];

describe("docs/patches.md", () => {
  for (const [, patch, answer] of examples)
    test(`[PA60] ${answer}: ${JSON.stringify(patch!.slice(0, 40))}`, async () => {
      const path = "notes/today.md";
      const talk = await greeted({ [path]: document });
      const { error } = await talk.ask("edit.patch", { path, patch });
      expect(error === undefined ? "applied" : `\`${error.data.details["reason"]}\``).toBe(answer);
      expect(talk.bench.read(path) === document).toBe(error !== undefined);
      if (error !== undefined) expect(error.data.suggestion).toBeTruthy();
    });

  test("[PA60] has valid and invalid patches, and a next step for each answer", () => {
    expect(examples.length).toBeGreaterThan(9);
    for (const [, , answer] of examples)
      if (answer !== "applied") expect(page.split("## What to do")[1]).toContain(answer!);
  });
});
