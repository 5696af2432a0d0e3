import { describe, expect, test } from "vitest";
import { cli } from "./cli.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { httpHost, stdioHost } from "./mcp-client.ts";
import { greetedWire } from "./wire.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const TUESDAY = NOTES.replace("Monday", "Tuesday");
const PATH = "notes.md";
const REFUSED = /^VERSION_REQUIRED: /;

async function served(): Promise<{ folder: Folder; daemon: Daemon }> {
  const folder = makeFolder({ [PATH]: NOTES });
  return { folder, daemon: await startDaemon(folder.root) };
}

/** A save and another agent's edit, which the session under test does not see. */
async function change(folder: Folder, daemon: Daemon): Promise<void> {
  const bob = await daemon.connect({ name: "bob" });
  await bob.request("edit.replace", { path: PATH, old: "with Ada", new: "with Bob" });
  folder.write(PATH, folder.read(PATH).replace("# Notes", "# Our notes"));
}
const merged = TUESDAY.replace("with Ada", "with Bob").replace("# Notes", "# Our notes");

describe("a whole text over WebSocket", () => {
  test("[SV2, SV5, SV9] of a document that was not read, or only in part, is refused, unless it says latest", async () => {
    const { folder, daemon } = await served();
    const wire = await greetedWire(daemon.located);
    const write = (more: object = {}) => wire.ask("edit.write", { path: PATH, text: "mine\n", ...more });
    expect((await write()).error?.data.code).toBe("VERSION_REQUIRED");
    await wire.ask("doc.read", { path: PATH, lines: [1, 2] });
    expect((await write()).error?.data.code).toBe("VERSION_REQUIRED");
    expect(folder.read(PATH)).toBe(NOTES);
    expect((await write({ version: "latest" })).error).toBeUndefined();
    expect(folder.read(PATH)).toBe("mine\n");
  });

  test("[SV12, SV19] from an old read is merged, and after the connection ended it is refused", async () => {
    const { folder, daemon } = await served();
    const wire = await greetedWire(daemon.located);
    await wire.ask("doc.read", { path: PATH });
    await change(folder, daemon);
    await wire.ask("edit.write", { path: PATH, text: TUESDAY });
    expect(folder.read(PATH)).toBe(merged);
    wire.ws.close();
    const again = await greetedWire(daemon.located);
    const { error } = await again.ask("edit.write", { path: PATH, text: "mine\n" });
    expect(error?.data.code).toBe("VERSION_REQUIRED");
    expect(folder.read(PATH)).toBe(merged);
  });
});

describe("a whole text over MCP", () => {
  for (const transport of ["stdio", "http"] as const)
    test(`[SV2, SV12, SV20] over ${transport} is refused unread, and merged over what was written during a restart`, async () => {
      const { folder, daemon } = await served();
      const join = (to: Daemon) => (transport === "stdio" ? stdioHost(folder.root) : httpHost(to.located));
      const host = await join(daemon);
      expect(await host.refused("write", { path: PATH, text: TUESDAY })).toMatch(REFUSED);
      await host.say("read", { path: PATH, lines: [3, 4] });
      expect(await host.refused("write", { path: PATH, text: TUESDAY })).toMatch(REFUSED);
      expect(folder.read(PATH)).toBe(NOTES);
      await host.client.readResource({ uri: `spliced://doc/${PATH}` });
      if (transport === "http") await host.client.close(); // or it would come back by itself
      await daemon.stop();
      const second = await startDaemon(folder.root);
      await change(folder, second);
      const next = transport === "stdio" ? host : await join(second);
      const said = await next.say("write", { path: PATH, text: TUESDAY });
      expect(said).toMatch(/Merged with the changes of .*bob/);
      expect(folder.read(PATH)).toBe(merged);
      expect(await (await join(second)).refused("write", { path: PATH, text: "mine\n" })).toMatch(REFUSED);
    });

  test("[SV20] of a client that was started anew is merged, too", async () => {
    const { folder, daemon } = await served();
    const host = await stdioHost(folder.root);
    await host.say("read", { path: PATH });
    await host.client.close();
    await change(folder, daemon);
    const again = await stdioHost(folder.root);
    await again.say("write", { path: PATH, text: TUESDAY });
    expect(folder.read(PATH)).toBe(merged);
  });
});

test("[SV27] a person at the command line means the document as it is now", async () => {
  const { folder } = await served();
  const ran = (args: string[], input?: string) =>
    cli(folder.root, args, input === undefined ? {} : { input });
  expect((await ran(["write", PATH], "mine\n")).code).toBe(0);
  const batch = JSON.stringify({ files: [{ docPath: PATH, text: "theirs\n" }] });
  expect((await ran(["batch"], batch)).code).toBe(0);
  expect(folder.read(PATH)).toBe("theirs\n");
  const lines = { path: PATH, changes: [{ operation: "insert", afterLine: 0, newLines: ["first"] }] };
  expect((await ran(["preview", "edit.lines"], JSON.stringify(lines))).out).toContain("+first");
  expect((await ran(["propose", PATH, "--write", "-"], "ours\n")).out).toContain("+ours");
  expect((await ran(["patch", PATH], "@@ -1,0 +2 @@\n+second\n")).code).toBe(0);
  expect(folder.read(PATH)).toBe("theirs\nsecond\n");
});
