import { LoroDoc } from "loro-crdt";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import { type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { type LoroPeer, loroPeer } from "./loro-peer.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";
import { upgradeStatus } from "./wire.ts";

let folder: Folder;
let daemon: ServedFolder;
let agent: Client;

beginShared(async () => {
  folder = makeFolder({
    "docs/a.md": "one\ntwo\nthree\n",
    "docs/both.md": "one\ntwo\nthree\n",
    "docs/undo.md": "keep\n",
    "docs/read.md": "read\n",
    "docs/live.md": "live\n",
    "docs/moved.md": "moved\n",
    "secret/b.md": "SECRET\n",
    "raw.bin": new Uint8Array([0, 1, 2]),
  });
  daemon = await serveFolder(folder.root);
  agent = await daemon.connect({ name: "agent" });
});

const owner = () => loroPeer(daemon.located, daemon.located.token);

async function holding(...rules: string[]): Promise<{ peer: LoroPeer; token: string; name: string }> {
  const name = `t${Math.random().toString(36).slice(2, 8)}`;
  const token = await tokenFor(folder.root, name, ...rules);
  return { peer: loroPeer(daemon.located, token), token, name };
}

const inFile = (path: string, text: string) =>
  until(
    `${path} holds it`,
    () => folder.read(path),
    (seen) => seen === text,
  );
const reads = async (path: string) => (await agent.request("doc.read", { path })).text;

describe("a Loro client", () => {
  further(
    "[LW1] gets a document's text, and its edits are in the file, the history and everybody's view",
    async () => {
      const joined = await owner().join("docs/a.md", new LoroDoc(), "notes-app");
      expect(joined.text.toString()).toBe("one\ntwo\nthree\n");
      joined.edit((text) => text.insert(4, "and 😀 "));
      await inFile("docs/a.md", "one\nand 😀 two\nthree\n");
      expect(await reads("docs/a.md")).toBe("one\nand 😀 two\nthree\n");
      const { changes } = await agent.request("history.list", { path: "docs/a.md" });
      expect(changes[0]).toMatchObject({
        author: "notes-app",
        agent: "owner/notes-app",
        origin: "remote",
        added: 6,
      });
      const { runs } = await agent.request("blame", { path: "docs/a.md", lines: [2, 2] });
      expect(runs.map(({ from, to, author }) => [from, to, author])).toEqual([
        [4, 10, "notes-app"],
        [10, 14, "disk"],
      ]);
      expect(joined.refused).toEqual([]);
    },
  );

  test("[LW2] gets what agents and people do as it is done, and all of it is merged", async () => {
    const [one, other] = [await owner().join("docs/both.md"), await owner().join("docs/both.md")];
    await agent.request("edit.replace", { path: "docs/both.md", old: "two", new: "zwei" });
    one.edit((text) => text.insert(0, "# "));
    folder.write("docs/both.md", folder.read("docs/both.md").replace("three", "drei"));
    const expected = "# one\nzwei\ndrei\n";
    for (const { text } of [one, other])
      await until(
        "the replica holds all",
        () => text.toString(),
        (seen) => seen === expected,
      );
    await inFile("docs/both.md", expected);
    expect(await reads("docs/both.md")).toBe(expected);
  });

  test("[LW3] has each of its edits taken back by itself", async () => {
    const joined = await owner().join("docs/undo.md", new LoroDoc(), "typist");
    joined.edit((text) => text.insert(0, "first\n"));
    await inFile("docs/undo.md", "first\nkeep\n");
    const { changes } = await agent.request("history.list", { path: "docs/undo.md", agent: "typist" });
    joined.edit((text) => text.insert(text.length, "second\n"));
    await inFile("docs/undo.md", "first\nkeep\nsecond\n");
    await agent.request("undo", { changeId: changes[0]!.changeId });
    await inFile("docs/undo.md", "keep\nsecond\n");
    await until(
      "the replica follows",
      () => joined.text.toString(),
      (seen) => seen === "keep\nsecond\n",
    );
  });

  test("[LW4, LW31] with a token that only reads follows what happens and changes nothing", async () => {
    const { peer } = await holding("docs/**=read");
    const joined = await peer.join("docs/read.md");
    joined.edit((text) => text.insert(0, "mine "));
    await until(
      "the refusal",
      () => joined.refused,
      (refused) => refused.length > 0,
    );
    expect(joined.refused).toEqual(["permission_denied"]);
    expect(await reads("docs/read.md")).toBe("read\n");
    await agent.request("edit.append", { path: "docs/read.md", text: "more\n" });
    await until(
      "the edit arrives",
      () => joined.text.toString(),
      (seen) => seen.includes("more\n"),
    );
  });

  test.each([["docs/**=propose"], ["docs/**=append"]])("[LW4] %s reads, too", async (rule) => {
    const { peer } = await holding(rule);
    const joined = await peer.join("docs/live.md");
    joined.edit((text) => text.insert(text.length, "mine"));
    await until(
      "the refusal",
      () => joined.refused[0],
      (reason) => reason === "permission_denied",
    );
  });

  test("[LW32] is told by the same words of a room that is not there and one it may not know of", async () => {
    const { peer } = await holding("docs/**=write");
    await expect(peer.join("secret/b.md")).rejects.toThrow(/secret\/b\.md: no such document/);
    await expect(peer.join("secret/none.md")).rejects.toThrow(/secret\/none\.md: no such document/);
  });

  test.each([
    ["../x.md", /leads out of the workspace/],
    ["/etc/passwd", /is absolute/],
    ["a\0b", /NUL/],
    [".spliced/daemon.json", /never mirrored/],
    ["raw.bin", /not UTF-8 text|binary|NUL/],
    ["none.md", /no such document/],
    ["", /the path is empty/],
  ])("[LW5] the room %j is refused", async (room, why) => {
    await expect(owner().join(room)).rejects.toThrow(why);
  });

  test("[LW6] without a token, or with a wrong one, or from another page, is turned away", async () => {
    const at = `${daemon.located.url.replace("http:", "ws:")}/loro`;
    const authorization = `Bearer ${daemon.located.token}`;
    expect(await upgradeStatus(at, {})).toBe(401);
    expect(await upgradeStatus(at, { authorization: "Bearer wrong" })).toBe(401);
    expect(await upgradeStatus(at, { authorization, origin: "https://evil.example" })).toBe(403);
    expect(await upgradeStatus(at, { authorization, host: "evil.example" })).toBe(403);
    expect(await upgradeStatus(at, { authorization })).toBe(101);
  });

  further("[LW6] ends when its token is revoked", async () => {
    const { peer, name } = await holding("docs/**=write");
    await peer.join("docs/live.md");
    const closed = new Promise<number>((done) => {
      peer.client.socket.addEventListener("close", ({ code }) => done(code));
    });
    await cli(folder.root, ["token", "revoke", name]);
    expect(await within("the end", closed)).toBe(1008);
  });

  test("[LW7] a document that is renamed or deleted leaves its room", async () => {
    const peer = owner();
    const joined = await peer.join("docs/moved.md");
    await agent.request("doc.rename", { path: "docs/moved.md", to: "docs/there.md" });
    // A client that is still in a room joins it again by itself.
    const again = () => peer.join("docs/moved.md").then(String, String);
    await until("the room ends", again, (said) => said.includes("no such document"));
    const there = await peer.join("docs/there.md", joined.doc);
    there.edit((text) => text.insert(0, "re"));
    await inFile("docs/there.md", "removed\n");
  });
});

describe("who is there", () => {
  test("[LW9] is told among Loro clients, to who comes later, too, and no longer once they are gone", async () => {
    const [one, other] = [owner(), owner()];
    const [mine, theirs] = [await one.joinPresence("docs/live.md"), await other.joinPresence("docs/live.md")];
    mine.set("cursor", { at: 3 });
    await until(
      "the other sees it",
      () => theirs.get("cursor"),
      (seen) => seen !== undefined,
    );
    const late = await owner().joinPresence("docs/live.md");
    await until(
      "who came later sees it",
      () => late.get("cursor"),
      (seen) => seen !== undefined,
    );
    one.client.destroy();
    for (const store of [theirs, late])
      await until(
        "it is gone",
        () => store.get("cursor"),
        (seen) => seen === undefined,
      );
  });

  test("[LW23] knows Loro clients over RPC by their names", async () => {
    const peer = owner();
    await peer.join("docs/live.md", new LoroDoc(), "typist");
    const present = async () => (await agent.request("presence.list", { path: "docs/live.md" })).present;
    await until("it is listed", present, (all) => all.some(({ name }) => name === "typist"));
    peer.client.destroy();
    await until("it is listed no more", present, (all) => !all.some(({ name }) => name === "typist"));
  });

  test("[LW9] is not told of documents that may not be read", async () => {
    const { peer } = await holding("docs/**=read");
    await expect(peer.joinPresence("secret/b.md")).rejects.toThrow(/no such document/);
  });
});

describe("a restart", () => {
  test("[LW8, LW22] neither loses nor doubles what a Loro client did, and its peer stays its author's", async () => {
    const own = makeFolder({ "a.md": "start\n" });
    const first = await startDaemon(own.root);
    const peer = loroPeer(first.located, await tokenFor(own.root, "stays", "**=write"));
    const joined = await peer.join("a.md", new LoroDoc(), "typist");
    joined.edit((text) => text.insert(0, "before "));
    await until(
      "it is in the file",
      () => own.read("a.md"),
      (seen) => seen === "before start\n",
    );
    await first.kill();
    joined.edit((text) => text.insert(0, "meanwhile "));
    await serveFolder(own.root, Number(new URL(first.located.url).port));
    await until(
      "all is there",
      () => own.read("a.md"),
      (seen) => seen === "meanwhile before start\n",
    );
  });
});
