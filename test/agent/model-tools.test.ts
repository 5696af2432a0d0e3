import { expect, test } from "vitest";
import { ModelTools } from "../../src/agent/openai/tools.ts";
import type { Turn } from "../../src/agent/turn.ts";

test("[AW2] a long answer of a tool is cut between characters: endpoints refuse half of one", async () => {
  const kind = "text";
  const named = (path: string) => ({ path, kind, docId: "doc_1", size: 1, modified: null });
  for (const pad of ["", "x"]) {
    const docs = Array.from({ length: 300 }, (_, i) => named(`${pad}${"😀".repeat(300)}${i}.md`));
    const client = {
      hello: { agent: { name: "bot" } },
      request: async (method: string) => (method === "doc.list" ? { docs, more: false } : { news: [] }),
    };
    const turn = {
      client,
      answers: {},
      leaseId: "lea_1",
      tool() {},
      signal: new AbortController().signal,
      made: 0,
    };
    const tools = new ModelTools(turn as unknown as Turn);
    const answer = await tools.run({ id: "1", name: "list_documents", args: "{}" });
    expect(answer).toMatch(/cut after 60000 characters/);
    expect(answer.isWellFormed()).toBe(true);
  }
});
