import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AcpTurn } from "../../src/agent/acp/acp-turn.ts";
import { AgentHost } from "../../src/agent/acp/agent-host.ts";

const AGENT = resolve(import.meta.dirname, "../e2e/scripted-acp-agent.js");

test("[AH17] a diff is taken in before the question that comes with it in one write", async () => {
  const root = mkdtempSync(join(tmpdir(), "spliced-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "notes.md"), "one\n");
  const { signal } = new AbortController();
  const command = [process.execPath, AGENT] as const;
  const host = await AgentHost.start({ command, root, version: "0", mcpServers: [] }, signal);
  onTestFinished(() => host.end());
  const heard: string[] = [];
  const turn = {
    update: ({ sessionUpdate }: { readonly sessionUpdate: string }) => heard.push(sessionUpdate),
    permit: () => {
      heard.push("question");
      return { outcome: { outcome: "selected", optionId: "no" } };
    },
  };
  await host.prompt(await host.begin(signal), "burst notes.md one ONE", turn as unknown as AcpTurn, signal);
  expect(heard.slice(0, 2)).toEqual(["tool_call", "question"]);
});
