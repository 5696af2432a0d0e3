import { describe, expect, test } from "vitest";
import { McpWorkspace } from "./mcp-workspace.ts";

const FILES = { "a.md": "one\ntwo\n", "b.md": "bee\n", "c.md": "sea\n" };

/** Returns the text of a file; undefined without a file. */
function textOf(guest: McpWorkspace, path: string): string | undefined {
  try {
    return guest.bench.read(path);
  } catch {
    return undefined;
  }
}

describe("several documents over MCP", () => {
  const files = [
    { path: "a.md", replace: { old: "two", new: "2" } },
    { path: "new/d.md", create: "dee\n" },
    { path: "b.md", delete: true },
    { path: "c.md", rename: "e.md" },
  ];
  const PATHS = ["a.md", "new/d.md", "b.md", "c.md", "e.md"];
  const AFTER = ["one\n2\n", "dee\n", undefined, undefined, "sea\n"];

  test("[MC63] are created, deleted and renamed beside edits, and undone as one", async () => {
    const guest = await McpWorkspace.in(FILES);
    const host = await guest.holding([{ glob: "**", level: "write", conflict: "merge" }]);
    const said = await host.say("edit_documents", { files });
    for (const line of ["new/d.md: created", "b.md: deleted", "e.md: renamed to this path", "+2"])
      expect(said).toContain(line);
    expect(PATHS.map((path) => textOf(guest, path))).toEqual(AFTER);
    await host.say("undo_change", {});
    expect(PATHS.map((path) => textOf(guest, path))).toEqual([
      "one\ntwo\n",
      undefined,
      "bee\n",
      "sea\n",
      undefined,
    ]);
    expect(
      await host.refused("edit_documents", { files: [{ path: "a.md", create: "x", delete: true }] }),
    ).toContain("exactly one");
  });

  test("[MC64] that one agent proposes are reviewed by another, which may write", async () => {
    const guest = await McpWorkspace.in(FILES);
    const proposer = await guest.holding([{ glob: "**", level: "propose", conflict: "merge" }]);
    const said = await proposer.say("edit_documents", { files, message: "tidy up" });
    const [id] = /prop_\w+/.exec(said) as RegExpExecArray;
    expect(await proposer.refused("review_proposal", { id, decision: "approve" })).toContain(
      "PERMISSION_DENIED",
    );
    const reviewer = await guest.holding([{ glob: "**", level: "write", conflict: "merge" }]);
    const shown = await reviewer.say("review_proposal", { id });
    for (const line of [
      "tidy up",
      "a.md: edit, pending",
      "hunk 1:",
      "+2",
      "new/d.md: create",
      "+dee",
      "c.md: rename to e.md",
    ])
      expect(shown).toContain(line);
    const part = { id, decision: "approve", files: [{ path: "a.md", hunks: [1] }] };
    expect(await reviewer.say("review_proposal", part)).toContain(`${id}: pending`);
    expect(await reviewer.say("review_proposal", { id, decision: "approve" })).toContain(`${id}: approved`);
    expect(PATHS.map((path) => textOf(guest, path))).toEqual(AFTER);
    const again = await proposer.say("propose_edit", { path: "a.md", append: "three" });
    const [other] = /prop_\w+/.exec(again) as RegExpExecArray;
    const rejected = { id: other, decision: "reject", reason: "no" };
    expect(await guest.say("review_proposal", rejected)).toContain("rejected");
    expect(await proposer.say("list_proposals", { id: other })).toContain("rejected  no");
  });

  test("[PO50] are withdrawn by the agent that proposed them", async () => {
    const guest = await McpWorkspace.in(FILES);
    const proposer = await guest.holding([{ glob: "**", level: "propose", conflict: "merge" }]);
    const said = await proposer.say("propose_edit", { path: "a.md", append: "three" });
    const [id] = /prop_\w+/.exec(said) as RegExpExecArray;
    expect(await proposer.say("review_proposal", { id, decision: "reject" })).toBe(`${id}: withdrawn`);
    expect(await proposer.say("review_proposal", { id })).toContain("a.md: append, rejected");
  });

  test("[PO57] are listed for the identity that made them, not for another of its name", async () => {
    const guest = await McpWorkspace.in(FILES);
    const proposer = await guest.holding([{ glob: "**", level: "propose", conflict: "merge" }]);
    await proposer.say("propose_edit", { path: "a.md", append: "three" });
    expect(await proposer.say("list_proposals", {})).toContain("a.md  pending");
    const namesake = await guest.another("cursor");
    expect(await namesake.say("list_proposals", {})).toBe("You have no proposals.");
  });
});
