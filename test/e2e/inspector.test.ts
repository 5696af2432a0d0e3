import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { beginShared } from "../helpers/shared.ts";
import { unable } from "./able.ts";
import { BIN, type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { until } from "./until.ts";

/** The MCP Inspector's command; it contains a whole interface, so it is no package of this project. */
const INSPECTOR = process.env["MCP_INSPECTOR"];
/** The Inspector passes on only the variables that its arguments name. */
const STATE_HOME = ["-e", `XDG_STATE_HOME=${process.env["XDG_STATE_HOME"]}`];
const missing = INSPECTOR === undefined ? "MCP_INSPECTOR names no mcp-inspector" : undefined;

const NOTES = "Monday at ten\nwith Ada\n";

interface Answer {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: { readonly changeId: string };
}

describe.skipIf(unable("the MCP Inspector", missing))("the MCP Inspector", () => {
  let folder: Folder;
  let daemon: Daemon;
  beginShared(async () => {
    folder = makeFolder();
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
    ...args.flatMap((arg) => ["--tool-arg", arg]),
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
    test(`[MC1, MC3, MC16, MC36, MC59] over ${name} lists, reads, edits from its read after a person's save, proposes, undoes`, async () => {
      const path = `${name}.md`;
      folder.write(path, NOTES);
      const run = async (tool: string, ...args: string[]) => {
        const answer = (await inspect(server(), call(tool, args))) as Answer;
        expect(answer.isError, JSON.stringify(answer)).not.toBe(true);
        return answer;
      };
      const { tools } = (await inspect(server(), ["tools/list"])) as { tools: { name: string }[] };
      expect(tools.map((tool) => tool.name)).toEqual(
        expect.arrayContaining(["list_documents", "read_document", "edit_document"]),
      );
      const listed = async () => JSON.stringify(await run("list_documents", "pattern=*.md"));
      await until(`${path} in the list`, listed, (list) => list.includes(path));
      expect((await run("read_document", `path=${path}`)).content[0]!.text).toContain("Monday at ten");
      folder.write(path, NOTES.replace("with Ada", "with Bob"));
      const edit = await run("edit_document", `path=${path}`, "old=Monday", "new=Tuesday");
      expect(edit.content[0]!.text).toContain("Merged with the changes of disk");
      expect(folder.read(path)).toBe("Tuesday at ten\nwith Bob\n");
      await run("propose_edit", `path=${path}`, "append=and tea");
      expect(JSON.stringify(await run("list_proposals", `path=${path}`))).toContain("pending");
      await run("undo_change", `changeId=${edit.structuredContent!.changeId}`);
      expect(folder.read(path)).toBe("Monday at ten\nwith Bob\n");
      expect(JSON.stringify(await inspect(server(), ["resources/list"]))).toContain(`spliced://doc/${path}`);
    });
});
