import { describe, expect, test } from "vitest";
import { hookEvent } from "../../src/hooks/input.ts";
import { printed } from "../../src/hooks/output.ts";

const PATCH = "*** Begin Patch\n*** Update File: a.md\n@@\n-x\n+y\n*** Add File: sub/b.md\n+z\n*** End Patch";

describe("what a hook says", () => {
  test("[HK1] an editing tool names its file, a shell command none", () => {
    const edit = { hook_event_name: "PreToolUse", session_id: "s", tool_use_id: "t", tool_name: "Edit" };
    expect(hookEvent("claude", { ...edit, tool_input: { file_path: "/w/a.md" } })).toMatchObject({
      is: "before",
      session: "s",
      call: "t",
      use: { does: "edit", paths: ["/w/a.md"] },
    });
    expect(hookEvent("claude", { ...edit, tool_name: "Bash", tool_input: { command: "ls" } })?.use).toEqual({
      does: "shell",
    });
  });

  test("[HK1] Codex names the files in its patch", () => {
    const event = { hook_event_name: "PreToolUse", tool_name: "apply_patch", tool_input: { command: PATCH } };
    expect(hookEvent("codex", event)?.use).toEqual({ does: "edit", paths: ["a.md", "sub/b.md"] });
  });

  test("[HK1] Gemini CLI's calls have no id, so tool and input name them before and after", () => {
    const input = { tool_name: "replace", tool_input: { file_path: "a.md", old_string: "x" } };
    const [before, after] = ["BeforeTool", "AfterTool"].map((hook_event_name) =>
      hookEvent("gemini", { ...input, hook_event_name }),
    );
    expect(before?.call).toBe(after?.call);
    expect(before?.call).not.toBe(
      hookEvent("gemini", { ...input, tool_input: { file_path: "b.md" }, hook_event_name: "BeforeTool" })
        ?.call,
    );
  });

  test("[HK1] opencode's plugin names tool, arguments and session", () => {
    const event = { hook_event_name: "tool.execute.after", session_id: "s", call_id: "c", tool: "write" };
    expect(hookEvent("opencode", { ...event, args: { filePath: "a.md" } })).toMatchObject({
      is: "after",
      call: "c",
      use: { does: "edit", paths: ["a.md"] },
    });
  });

  for (const junk of [
    null,
    [],
    "text",
    {},
    { hook_event_name: "constructor" },
    { hook_event_name: "PreToolUse" },
    { hook_event_name: "PreToolUse", tool_name: "__proto__", tool_input: {} },
    { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: "x" },
    { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { file_path: 3 } },
    { hook_event_name: "PreToolUse", tool_name: "WebSearch", tool_input: { file_path: "a.md" } },
  ])
    test(`[HK2] junk says nothing: ${JSON.stringify(junk)}`, () => {
      expect(hookEvent("claude", junk)).toBeUndefined();
    });
});

describe("what a hook prints", () => {
  const event = (name: string) =>
    hookEvent("claude", { hook_event_name: name, tool_name: "Bash", tool_input: {} })!;

  test("[HK3] nothing, unless there is something to say", () => {
    expect(printed("claude", event("PostToolUse"), {})).toBe("");
    expect(printed("gemini", event("PostToolUse"), { news: [] })).toBe("");
  });

  test("[HK3] news are context for the agent, in one JSON object", () => {
    expect(JSON.parse(printed("claude", event("PostToolUse"), { news: ["a", "b"] }))).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "a\nb" },
    });
    expect(JSON.parse(printed("opencode", event("PostToolUse"), { news: ["a"] }))).toEqual({ context: "a" });
  });
});
