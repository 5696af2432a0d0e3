import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import { connect } from "../../src/client/node.ts";
import { further } from "../helpers/further.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { makeFolder } from "./folder.ts";
import { httpHost } from "./mcp-client.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until } from "./until.ts";

const FILES = { "a.md": "one\ntwo\n", "b.md": "bee\n", "c.md": "sea\n" };

describe("a set of changes", () => {
  test("[PO44, PO45] of an agent that may only propose is reviewed in the terminal, made whole, and undone as one", async () => {
    const folder = makeFolder(FILES);
    const daemon = await serveFolder(folder.root);
    const token = await tokenFor(folder.root, "guest", "**=propose");
    const agent = await httpHost({ ...daemon.located, token });
    const files = [
      { path: "a.md", replace: { old: "two", new: "2" } },
      { path: "new/d.md", create: "dee\n" },
      { path: "b.md", delete: true },
      { path: "c.md", rename: "e.md" },
    ];
    const said = await agent.say("edit_documents", { files, message: "belongs together" });
    const [id] = /prop_\w+/.exec(said) as RegExpExecArray;
    expect(await agent.refused("review_proposal", { id, decision: "approve" })).toContain(
      "PERMISSION_DENIED",
    );
    expect(await agent.say("list_proposals", {})).toContain("a.md, new/d.md, b.md, c.md  pending");
    expect([folder.read("b.md"), existsSync(folder.at("new/d.md"))]).toEqual(["bee\n", false]);

    const run = (...args: string[]) => cli(folder.root, args);
    const listed = (await run("proposals")).out;
    for (const line of [
      "4 files",
      "belongs together",
      "new/d.md  create",
      "+dee",
      "-bee",
      "rename to e.md",
      "hunk 1",
    ])
      expect(listed).toContain(line);
    expect(await run("approve", id, "--file", "a.md:1", "--file", "new/d.md")).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 files of"),
    });
    expect([folder.read("a.md"), folder.read("new/d.md"), folder.read("b.md")]).toEqual([
      "one\n2\n",
      "dee\n",
      "bee\n",
    ]);
    expect(await agent.say("list_proposals", {})).toContain("pending");
    const approved = await run("approve", id);
    expect(approved).toMatchObject({ code: 0 });
    expect([existsSync(folder.at("b.md")), folder.read("e.md")]).toEqual([false, "sea\n"]);
    const [, batch] = /spliced undo --batch (\S+)/.exec(approved.out) as RegExpExecArray;
    expect(await run("undo", "--batch", batch!)).toMatchObject({ code: 0 });
    expect([folder.read("b.md"), folder.read("c.md"), folder.read("a.md")]).toEqual([
      "bee\n",
      "sea\n",
      "one\n2\n",
    ]);
    await daemon.stop();
  });

  further("[PO45] is proposed from the terminal", async () => {
    const folder = makeFolder(FILES);
    const daemon = await serveFolder(folder.root);
    const run = (args: string[], input = "") => cli(folder.root, args, { input });
    const set = [
      { path: "a.md", operation: "edit", replace: { old: "one", new: "1" } },
      { path: "b.md", operation: "rename", to: "d.md" },
    ];
    expect(await run(["propose", "--files", "-", "-r", "why"], JSON.stringify(set))).toMatchObject({
      code: 0,
    });
    expect(await run(["propose", "x.md", "--create", "-"], "ex\n")).toMatchObject({ code: 0 });
    expect(await run(["propose", "c.md", "--delete"])).toMatchObject({ code: 0 });
    expect(await run(["propose", "c.md", "--rename", "f.md"])).toMatchObject({ code: 0 });
    expect(await run(["propose"])).toMatchObject({ code: 2 });
    expect(await run(["propose", "c.md"])).toMatchObject({ code: 2 });
    const listed = JSON.parse((await run(["proposals", "--json"])).out) as { id: string; path: string }[];
    expect(listed.map(({ path }) => path)).toEqual(["c.md", "c.md", "x.md", "a.md"]);
    const approved = JSON.parse((await run(["approve", listed[1]!.id, "--json"])).out);
    expect(approved.obsolete).toMatchObject([{ id: listed[0]!.id, status: "pending" }]);
    expect(await run(["reject", listed[0]!.id, "gone"])).toMatchObject({ code: 0 });
    for (const { id } of listed.slice(2)) expect(await run(["approve", id])).toMatchObject({ code: 0 });
    expect([folder.read("a.md"), folder.read("d.md"), folder.read("x.md")]).toEqual([
      "1\ntwo\n",
      "bee\n",
      "ex\n",
    ]);
    await daemon.stop();
  });

  for (const nth of [1, 2, 3])
    (nth === 2 ? test : further)(
      `[BA18] is made whole or not at all when the daemon is killed after file ${nth} of an approval`,
      async () => {
        const folder = makeFolder(FILES);
        const script = [join(import.meta.dirname, "dying-daemon.js"), folder.root, "stepped", String(nth)];
        const dying = spawn(process.execPath, script, { stdio: "ignore" });
        atEnd(() => dying.kill("SIGKILL"));
        const located = await until("the daemon is ready", () => locateDaemon(folder.root));
        const client = await connect({ ...located, name: "pat", reconnect: false });
        const { id } = await client.proposal.create({
          files: [
            { path: "a.md", operation: "edit", replace: { old: "two", new: "2" }, version: "latest" },
            { path: "b.md", operation: "delete" },
            { path: "c.md", operation: "rename", to: "e.md" },
            { path: "new/d.md", operation: "create", text: "dee\n" },
          ],
        });
        const ended = once(dying, "exit");
        dying.kill("SIGUSR2");
        await expect(client.proposal.approve({ id })).rejects.toThrow();
        await ended;
        const daemon = await serveFolder(folder.root);
        const again = await daemon.connect({ name: "pat" });
        const seen = () =>
          ["a.md", "b.md", "c.md", "e.md", "new/d.md"].map((path) => existsSync(folder.at(path)));
        await expect.poll(seen).toEqual([true, true, true, false, false]);
        expect(folder.read("a.md")).toBe("one\ntwo\n");
        expect((await again.proposal.get({ id })).status).toBe("pending");
        await again.proposal.approve({ id });
        expect(seen()).toEqual([true, false, false, true, true]);
        expect([folder.read("a.md"), folder.read("e.md")]).toEqual(["one\n2\n", "sea\n"]);
        await daemon.stop();
      },
    );
});
