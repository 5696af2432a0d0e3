import { describe, expect, test } from "vitest";
import { mcpTools } from "../../src/mcp/tools.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

const PATH = ".mcp.json";

/** Each tool that changes something, aimed at a protected file. */
const ATTEMPTS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  edit_document: [{ path: PATH, old: "one", new: "x" }],
  patch_document: [{ path: PATH, patch: "@@ -1 +1 @@\n-one\n+x\n" }],
  write_document: [
    { path: PATH, text: "x" },
    { path: "daemon.config.ts", text: "export default {};\n" },
  ],
  edit_documents: [{ files: [{ path: PATH, replace: { old: "one", new: "x" } }] }],
  set_field: [{ path: PATH, key: ["one"], value: 1 }],
  rename_document: [
    { path: PATH, to: "x.json" },
    { path: "free.md", to: "daemon.config.ts" },
  ],
  delete_document: [{ path: PATH }],
  undo_change: [{}],
  propose_edit: [{ path: PATH, append: "x" }],
};

/** A tool that decides about proposals; nobody proposes a change of a protected file. */
const ABOUT_PROPOSALS = ["review_proposal"];

/** Tools that change threads, and no document. */
const ABOUT_THREADS = ["list_threads", "answer_thread"];

describe("tools", () => {
  test("[PF1, PF2] that change documents never change a protected file, even with `write` everywhere", async () => {
    const guest = await McpWorkspace.in({ [PATH]: "one\n", "free.md": "" });
    const host = await guest.holding([{ glob: "**", level: "write", conflict: "merge" }]);
    expect(await host.say("read", { path: PATH })).toContain("one");
    const { changeId } = await guest
      .colleague("colleague")
      .request("edit.append", { path: PATH, text: "two\n" });
    const attempts = { ...ATTEMPTS, undo_change: [{ changeId }] };
    const writing = mcpTools.filter(({ reads }) => !reads).map(({ name }) => name);
    expect([...Object.keys(attempts), ...ABOUT_THREADS, ...ABOUT_PROPOSALS].sort()).toEqual(writing.sort());
    for (const [name, all] of Object.entries(attempts))
      for (const args of all) expect(await host.refused(name, args)).toContain("PERMISSION_DENIED");
    expect(guest.bench.read(PATH)).toBe("one\ntwo\n");
  });
});
