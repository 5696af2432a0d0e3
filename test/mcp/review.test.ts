import { describe, expect, test } from "vitest";
import type { McpSessionOptions } from "../../src/mcp/session.ts";
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

  describe("whose hunks have new numbers", () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
    const text = lines.with(1, "LINE 2\n").with(14, "LINE 15\n").with(28, "LINE 29\n").join("");

    /** A proposal whose first two hunks grew into hunk 4, and what else an agent does. */
    async function grown(options: Partial<McpSessionOptions> = {}) {
      const guest = await McpWorkspace.in({ "long.md": lines.join("") });
      const author = guest.colleague("bob");
      const { id } = await author.request("proposal.create", {
        path: "long.md",
        operation: "full_replace",
        proposed_value: text,
        version: "latest",
      });
      const edit = (old: string, updated: string) =>
        author.request("edit.replace", { path: "long.md", old, new: updated, version: "latest" });
      await edit(lines.slice(3, 13).join(""), "between\n");
      return { guest, id, edit, reviewer: await guest.another("reviewer", options) };
    }
    const choice = (id: string, version?: string) => ({
      id,
      decision: "approve",
      files: [{ path: "long.md", hunks: [4], ...(version !== undefined && { version }) }],
    });

    test("[MC67] are approved by the numbers that the session was shown", async () => {
      const { guest, id, reviewer } = await grown();
      expect(await reviewer.refused("review_proposal", choice(id))).toMatch(
        /^STALE_VERSION: .*\nLook at it with review_proposal, /,
      );
      expect(await reviewer.say("review_proposal", { id })).toContain("hunk 4:");
      expect(await reviewer.say("review_proposal", choice(id))).toContain(`${id}: pending`);
      expect(guest.bench.read("long.md")).toContain("LINE 2\nline 3\nbetween\nline 14\nLINE 15\n");
    });

    test("[MC67] are shown again after a change, which the refusal says", async () => {
      const { id, edit, reviewer } = await grown();
      await reviewer.say("review_proposal", { id });
      await edit("line 20", "line twenty");
      expect(await reviewer.refused("review_proposal", choice(id))).toMatch(
        /^CONFLICT: long.md is at .*\nLook at it again with review_proposal, /,
      );
      await reviewer.say("review_proposal", { id });
      expect(await reviewer.say("review_proposal", choice(id))).toContain(`${id}: pending`);
    });

    test("[MC67] are approved by the version that a client without a session names", async () => {
      const { id, reviewer } = await grown({ namesVersions: true });
      const [, version] = /\(version=(\S+)\)/.exec(await reviewer.say("review_proposal", { id }))!;
      expect(await reviewer.refused("review_proposal", choice(id))).toContain("STALE_VERSION");
      expect(await reviewer.say("review_proposal", choice(id, version))).toContain(`${id}: pending`);
    });
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
