import { describe, expect, test } from "vitest";
import { type Client, connect } from "../../src/client/index.ts";
import { locateDaemon } from "../../src/client/locate.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { unable } from "./able.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const SLOW_MS = 60_000;

/** Joins a new folder to a shared workspace as the machine `laptop`, with its own daemon. */
async function joined(line: string): Promise<{ root: string; client: Client }> {
  const { root } = makeFolder();
  const ran = await cli(root, ["join", line, root, "--yes", "--name", "laptop"]);
  if (ran.code !== 0) throw new Error(ran.err + ran.out);
  atEnd(async () => void (await cli(root, ["stop"])));
  const client = await connect({ ...locateDaemon(root)!, name: "bob", reconnect: false });
  atEnd(() => void client.close());
  return { root, client };
}

describe.skipIf(unable("machines that share records", natsMissing()))("two daemons on a NATS server", () => {
  test(
    "[MA93, MA94] share threads, checkpoints, proposals and who is where, with machine and author",
    async () => {
      const server = await NatsServer.start();
      const folder = makeFolder({ "plan.md": "one\ntwo\nthree\n" });
      const daemon = await serveFolder(folder.root);
      const a = await daemon.connect({ name: "ada" });
      const { machines } = await a.request("machine.list", {});
      expect(machines).toEqual([]);
      const asked = await a.request("thread.append", { path: "plan.md", role: "user", text: "is it done?" });
      await a.request("edit.append", { path: "plan.md", text: "four\n" });
      await a.request("checkpoint.create", { name: "before" });
      const { line } = await a.request("workspace.share", { broker: server.url });
      const { client: b, root } = await joined(line);

      // The machine that joined later has what was there before.
      const read = async () => (await b.request("doc.read", { path: "plan.md" })).text;
      await until("the text", read, (text) => text === "one\ntwo\nthree\nfour\n");
      await until(
        "the thread",
        () => b.request("thread.list", {}),
        ({ threads }) => threads.length === 1,
      );
      expect((await b.request("checkpoint.list", {})).checkpoints).toMatchObject([
        { name: "before", author: "ada" },
      ]);

      // Histories, blame and notifications name the machine.
      await a.request("subscribe", { pattern: "**" });
      const changed = new Promise<object>((tell) => {
        a.on("doc.changed", (change) => tell(change));
      });
      await b.request("edit.replace", { path: "plan.md", old: "two", new: "TWO" });
      expect(await changed).toMatchObject({ author: "bob", machine: "laptop", origin: "remote" });
      const { changes } = await a.request("history.list", { path: "plan.md" });
      expect(changes[0]).toMatchObject({ author: "bob", machine: "laptop" });
      expect((await cli(folder.root, ["history", "plan.md"])).out).toContain("bob on laptop");
      expect((await cli(folder.root, ["blame", "plan.md"])).out).toMatch(/^bob on laptop .* 2 {2}TWO$/m);

      // An answer of the other machine.
      await b.request("thread.append", { thread: asked.thread, role: "assistant", text: "nearly" });
      const talk = await until(
        "the answer",
        () => a.request("thread.get", { thread: asked.thread }),
        ({ messages }) => messages.length === 2,
      );
      expect(talk.messages[1]).toMatchObject({ author: "bob", machine: "laptop", text: "nearly" });

      // A proposal of one machine, approved on the other.
      const proposal = await a.request("proposal.create", {
        path: "plan.md",
        operation: "replace",
        old_content: "three",
        proposed_value: "THREE",
      });
      await until(
        "the proposal",
        () => b.request("proposal.list", {}),
        ({ proposals }) => proposals.length === 1,
      );
      await b.request("proposal.approve", { id: proposal.id });
      const approved = await until(
        "the approval",
        () => a.request("proposal.get", { id: proposal.id }),
        ({ status }) => status === "approved",
      );
      expect(approved.reviewer).toBe("bob");
      expect(folder.read("plan.md")).toBe("one\nTWO\nTHREE\nfour\n");

      // Who is where.
      await b.request("presence.set", { path: "plan.md", from: 1, to: 3 });
      const { present } = await until(
        "bob is there",
        () => a.request("presence.list", { path: "plan.md" }),
        (seen) => seen.present.length > 0,
      );
      expect(present).toMatchObject([{ name: "bob", machine: "laptop", from: 1, to: 3 }]);

      // The checkpoint, restored on the machine that did not make it.
      await b.request("checkpoint.restore", { name: "before" });
      await until(
        "the restored text",
        () => folder.read("plan.md"),
        (text) => text === "one\ntwo\nthree\nfour\n",
      );
      expect((await cli(root, ["checkpoint", "list"])).out).toContain("by ada on ");

      // A change of one machine, undone on the other.
      const all = (await b.request("history.list", { path: "plan.md" })).changes;
      const appended = all.findLast(({ author, added }) => author === "ada" && added === 5)!;
      await b.request("undo", { changeId: appended.changeId });
      await until(
        "the undone text",
        () => folder.read("plan.md"),
        (text) => text === "one\ntwo\nthree\n",
      );
    },
    SLOW_MS,
  );
});
