import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { beginShared } from "../helpers/shared.ts";
import { unable } from "./able.ts";
import { BIN, type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";

/** The MCP Inspector's command; it contains a whole interface, so it is no package of this project. */
const INSPECTOR = process.env["MCP_INSPECTOR"];
/** The Inspector passes on only the variables that its arguments name. */
const STATE_HOME = ["-e", `XDG_STATE_HOME=${process.env["XDG_STATE_HOME"]}`];
const missing = INSPECTOR === undefined ? "MCP_INSPECTOR names no mcp-inspector" : undefined;

describe.skipIf(unable("the MCP Inspector", missing))("the MCP Inspector", () => {
  let folder: Folder;
  let daemon: Daemon;
  beginShared(async () => {
    folder = makeFolder({ "notes.md": "Monday\n" });
    daemon = await startDaemon(folder.root);
  });

  /** Runs it against the server that its arguments name; returns its output, as JSON. */
  async function inspect(server: readonly string[], method: readonly string[]): Promise<unknown> {
    const args = [INSPECTOR!, "--cli", ...server, "--method", ...method];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.root });
    return JSON.parse(stdout);
  }

  const call = (tool: string, args: readonly string[]) => [
    "tools/call",
    "--tool-name",
    tool,
    "--tool-arg",
    ...args,
  ];
  const servers: [name: string, server: () => string[]][] = [
    ["stdio", () => [...STATE_HOME, process.execPath, BIN, "mcp"]],
    [
      "http",
      () => {
        const { url, token } = daemon.located;
        return [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
      },
    ],
  ];
  for (const [name, server] of servers)
    test(`[MC1] lists and calls the tools over ${name}`, async () => {
      const { tools } = (await inspect(server(), ["tools/list"])) as { tools: { name: string }[] };
      expect(tools.map((tool) => tool.name)).toEqual(
        expect.arrayContaining(["list", "read", "edit", "patch"]),
      );
      const edit = call("edit", ["path=notes.md", "old=day", `new=day, ${name}`]);
      expect(JSON.stringify(await inspect(server(), edit))).toContain("notes.md: applied");
      expect(folder.read("notes.md")).toContain(`day, ${name}`);
      expect(JSON.stringify(await inspect(server(), ["resources/list"]))).toContain("spliced://doc/notes.md");
    });
});
