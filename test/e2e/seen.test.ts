import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { httpHost, stdioHost } from "./mcp-client.ts";
import { serveFolder } from "./served.ts";
import { greetedWire } from "./wire.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const TUESDAY = NOTES.replace("Monday", "Tuesday");
const REFUSED = /^VERSION_REQUIRED: /;

interface Served {
  readonly folder: Folder;
  readonly daemon: ServedFolder;
  /** The document of the test. */
  readonly path: string;
}

/** Serves a folder of its own, for a test that stops the daemon. */
async function served(): Promise<Served> {
  const folder = makeFolder({ "notes.md": NOTES });
  return { folder, daemon: await serveFolder(folder.root), path: "notes.md" };
}

let shared: Served;
let made = 0;
beginShared(async () => {
  shared = await served();
});

/** Returns a new document in a folder that tests share. */
function placed(): Served {
  const path = `${made++}.md`;
  shared.folder.write(path, NOTES);
  return { ...shared, path };
}

/** A save and another agent's edit, which the session under test does not see. */
async function change({ folder, daemon, path }: Served): Promise<void> {
  const bob = await daemon.connect({ name: "bob" });
  await bob.request("edit.replace", { path, old: "with Ada", new: "with Bob" });
  folder.write(path, folder.read(path).replace("# Notes", "# Our notes"));
}
const merged = TUESDAY.replace("with Ada", "with Bob").replace("# Notes", "# Our notes");

describe("a whole text over WebSocket", () => {
  test("[SV2, SV5, SV9] of a document that was not read, or only in part, is refused, unless it says latest", async () => {
    const { folder, daemon, path } = placed();
    const wire = await greetedWire(daemon.located);
    const write = (more: object = {}) => wire.ask("edit.write", { path: path, text: "mine\n", ...more });
    expect((await write()).error?.data.code).toBe("VERSION_REQUIRED");
    await wire.ask("doc.read", { path, lines: [1, 2] });
    expect((await write()).error?.data.code).toBe("VERSION_REQUIRED");
    expect(folder.read(path)).toBe(NOTES);
    expect((await write({ version: "latest" })).error).toBeUndefined();
    expect(folder.read(path)).toBe("mine\n");
  });

  test("[SV12, SV19] from an old read is merged, and after the connection ended it is refused", async () => {
    const { folder, daemon, path } = placed();
    const wire = await greetedWire(daemon.located);
    await wire.ask("doc.read", { path });
    await change({ folder, daemon, path });
    await wire.ask("edit.write", { path: path, text: TUESDAY });
    expect(folder.read(path)).toBe(merged);
    wire.ws.close();
    const again = await greetedWire(daemon.located);
    const { error } = await again.ask("edit.write", { path: path, text: "mine\n" });
    expect(error?.data.code).toBe("VERSION_REQUIRED");
    expect(folder.read(path)).toBe(merged);
  });
});

describe("a whole text over MCP", () => {
  for (const transport of ["stdio", "http"] as const)
    test(`[SV2, SV12, SV20] over ${transport} is refused unread, and merged over what was written during a restart`, async () => {
      const { folder, daemon, path } = await served();
      const join = (to: ServedFolder) =>
        transport === "stdio" ? stdioHost(folder.root) : httpHost(to.located);
      const host = await join(daemon);
      expect(await host.refused("write", { path: path, text: TUESDAY })).toMatch(REFUSED);
      await host.say("read", { path, lines: [3, 4] });
      expect(await host.refused("write", { path: path, text: TUESDAY })).toMatch(REFUSED);
      expect(folder.read(path)).toBe(NOTES);
      await host.client.readResource({ uri: `spliced://doc/${path}` });
      if (transport === "http") await host.client.close(); // or it would come back by itself
      await daemon.stop();
      const second = await serveFolder(folder.root);
      await change({ folder, daemon: second, path });
      const next = transport === "stdio" ? host : await join(second);
      const said = await next.say("write", { path: path, text: TUESDAY });
      expect(said).toMatch(/Merged with the changes of .*bob/);
      expect(folder.read(path)).toBe(merged);
      expect(await (await join(second)).refused("write", { path: path, text: "mine\n" })).toMatch(REFUSED);
    });

  further("[SV20] of a client that was started anew is merged, too", async () => {
    const { folder, daemon, path } = placed();
    const host = await stdioHost(folder.root);
    await host.say("read", { path });
    await host.client.close();
    await change({ folder, daemon, path });
    const again = await stdioHost(folder.root);
    await again.say("write", { path: path, text: TUESDAY });
    expect(folder.read(path)).toBe(merged);
  });
});

test("[SV27] a person at the command line means the document as it is now", async () => {
  const { folder, path } = placed();
  const ran = (args: string[], input?: string) =>
    cli(folder.root, args, input === undefined ? {} : { input });
  expect((await ran(["write", path], "mine\n")).code).toBe(0);
  const batch = JSON.stringify({ files: [{ docPath: path, text: "theirs\n" }] });
  expect((await ran(["batch"], batch)).code).toBe(0);
  expect(folder.read(path)).toBe("theirs\n");
  const lines = { path, changes: [{ operation: "insert", afterLine: 0, newLines: ["first"] }] };
  expect((await ran(["preview", "edit.lines"], JSON.stringify(lines))).out).toContain("+first");
  expect((await ran(["propose", path, "--write", "-"], "ours\n")).out).toContain("+ours");
  expect((await ran(["patch", path], "@@ -1,0 +2 @@\n+second\n")).code).toBe(0);
  expect(folder.read(path)).toBe("theirs\nsecond\n");
});
