import { describe, expect, test } from "vitest";
import { mcpTools } from "../../src/mcp/tools.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

const PATH = ".mcp.json";

/** Each tool that changes something, aimed at a protected file. */
const ATTEMPTS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  edit: [{ path: PATH, old: "one", new: "x" }],
  patch: [{ path: PATH, patch: "@@ -1 +1 @@\n-one\n+x\n" }],
  write: [
    { path: PATH, text: "x" },
    { path: "daemon.config.ts", text: "export default {};\n" },
  ],
  batch: [{ files: [{ path: PATH, replace: { old: "one", new: "x" } }] }],
  undo: [{}],
  propose: [{ path: PATH, append: "x" }],
};

describe("tools", () => {
  test("[PF1, PF2] that change documents never change a protected file, even with `write` everywhere", async () => {
    const guest = await McpWorkspace.in({ [PATH]: "one\n" });
    const host = await guest.holding([{ glob: "**", level: "write", conflict: "merge" }]);
    expect(await host.say("read", { path: PATH })).toContain("one");
    const { changeId } = await guest
      .colleague("colleague")
      .request("edit.append", { path: PATH, text: "two\n" });
    const attempts = { ...ATTEMPTS, undo: [{ changeId }] };
    const writing = mcpTools.filter(({ reads }) => !reads).map(({ name }) => name);
    expect(Object.keys(attempts).sort()).toEqual(writing.sort());
    for (const [name, all] of Object.entries(attempts))
      for (const args of all) expect(await host.refused(name, args)).toContain("PERMISSION_DENIED");
    expect(guest.bench.read(PATH)).toBe("one\ntwo\n");
  });
});
