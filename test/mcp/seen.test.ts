import { describe, expect, test } from "vitest";
import { inProcessCaller } from "../../src/mcp/in-process.ts";
import { uriOf } from "../../src/mcp/resources.ts";
import { McpWorkspace, OWNER } from "./mcp-workspace.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const REFUSED = /^VERSION_REQUIRED: .*\nRead the whole document with read_document/;
const blind = { path: "a.md", text: "mine\n" };

describe("a model that has not read a document", () => {
  test("[SV2, SV4] is refused whole texts and line numbers, and told to read", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    for (const [tool, args] of [
      ["write", blind],
      ["propose", blind],
      ["batch", { files: [blind] }],
    ] as const)
      expect(await guest.refused(tool, args)).toMatch(REFUSED);
    expect(guest.bench.read("a.md")).toBe(NOTES);
  });

  test("[SV2, SV6] has not read it by an edit, a diff or a list of changes", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("edit", { path: "a.md", old: "Ada", new: "Bob" });
    await guest.say("diff", { path: "a.md" });
    await guest.say("changes_since", { path: "a.md" });
    await guest.say("blame", { path: "a.md" });
    expect(await guest.refused("write", blind)).toMatch(REFUSED);
  });

  test("[SV9] nor by a part, also of a text that was cut", async () => {
    const long = "a line\n".repeat(10_000);
    const guest = await McpWorkspace.in({ "a.md": NOTES, "long.md": long });
    await guest.say("read", { path: "a.md", lines: [1, 2] });
    await guest.say("read", { path: "long.md" });
    expect(await guest.refused("write", blind)).toMatch(REFUSED);
    expect(await guest.refused("write", { path: "long.md", text: "mine\n" })).toMatch(REFUSED);
  });
});

describe("a model that has read a document", () => {
  test("[SV1, SV12] as a resource writes its whole text as a merge", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.client.readResource({ uri: uriOf("a.md") });
    await guest.colleague("bob").request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    const said = await guest.say("write", { path: "a.md", text: NOTES.replace("Monday", "Tuesday") });
    expect(said).toMatch(/Merged with the changes of bob since version 0-[\s\S]*-with Ada\n\+with Bob/);
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
  });

  test("[SV11] in parts of one version has read the whole text", async () => {
    const long = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join("");
    const guest = await McpWorkspace.in({ "long.md": long });
    for (const lines of [undefined, [2001, 3000]]) await guest.say("read", { path: "long.md", lines });
    await guest.say("write", { path: "long.md", text: "short\n" });
    expect(guest.bench.read("long.md")).toBe("short\n");
  });

  test("[SV20] writes after it began anew as a merge", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    let isLive = true;
    const open = (name: string) => inProcessCaller(guest.service, OWNER, name, { isLive: () => isLive });
    const first = await guest.another("reviewer", { open });
    await first.say("read", { path: "a.md" });
    isLive = false;
    const bob = guest.colleague("bob");
    await bob.request("edit.replace", { path: "a.md", old: "Ada", new: "Bob" });
    const again = await guest.another("reviewer");
    await again.say("write", { path: "a.md", text: NOTES.replace("Monday", "Tuesday") });
    expect(guest.bench.read("a.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
    expect(await again.refused("write", blind)).toMatch(REFUSED);
  });

  test("[SV21] shares that with no other model, and with no window of the same client beside it", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    for (const name of ["cursor", "claude-code"])
      expect(await (await guest.another(name)).refused("write", blind)).toMatch(REFUSED);
  });

  test("[SV23] and was notified of a change has not seen that change", async () => {
    const guest = await McpWorkspace.in({ "a.md": NOTES });
    await guest.say("read", { path: "a.md" });
    await guest.client.subscribeResource({ uri: uriOf("a.md") });
    await guest.colleague("bob").request("edit.append", { path: "a.md", text: "and Bob\n" });
    await guest.say("write", { path: "a.md", text: NOTES.replace("Monday", "Tuesday") });
    expect(guest.bench.read("a.md")).toBe(`${NOTES.replace("Monday", "Tuesday")}and Bob\n`);
  });
});
