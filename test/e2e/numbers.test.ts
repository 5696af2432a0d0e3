import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, test } from "vitest";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { BIN, type ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { greetedWire, type Wire } from "./wire.ts";

const KEPT = ["123456789012345678", "-9223372036854775808", "0.30000000000000004", "5e-324", "0.1"];
const LOST = [
  "1e400",
  "-1e400",
  "1e-400",
  "4e-324",
  "0.1000000000000000055511151231257827",
  "9007199254740993.0",
  "123456789012345678e2",
];

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"m","version":"1"}}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const calling = (path: string, digits: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_field","arguments":{"path":"${path}","key":["id"],"value":${digits}}}}`;

let folder: Folder;
let daemon: ServedFolder;
let wire: Wire;
let overStdio: (path: string, digits: string) => Promise<unknown>;
let overHttp: (path: string, digits: string) => Promise<unknown>;

beginShared(async () => {
  folder = makeFolder({ "a.json": "", "a.toml": "", "a.yaml": "" });
  daemon = await serveFolder(folder.root);
  wire = await greetedWire(daemon.located);
  overStdio = await stdio();
  overHttp = await http();
});

/** Returns a caller of the tool through `spliced mcp`. */
async function stdio(): Promise<typeof overStdio> {
  const mcp = spawn(process.execPath, [BIN, "mcp"], { cwd: folder.root, stdio: ["pipe", "pipe", "ignore"] });
  atEnd(() => void mcp.kill());
  const lines = createInterface(mcp.stdout);
  const ask = async (line: string) => {
    const answered = once(lines, "line");
    mcp.stdin.write(`${line}\n`);
    return answered;
  };
  await ask(INITIALIZE);
  mcp.stdin.write(`${INITIALIZED}\n`);
  return (path, digits) => ask(calling(path, digits));
}

/** Returns a caller of the tool through `/mcp`. */
async function http(): Promise<typeof overHttp> {
  const { url, token } = daemon.located;
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (body: string) => fetch(`${url}/mcp`, { method: "POST", headers, body });
  const begun = await post(INITIALIZE);
  await begun.text();
  headers["mcp-session-id"] = begun.headers.get("mcp-session-id")!;
  await post(INITIALIZED);
  return async (path, digits) => (await post(calling(path, digits))).text();
}

const params = (path: string, digits: string) => `{"path":"${path}","key":["id"],"value":${digits}}`;

const DOORS: readonly [door: string, set: (path: string, digits: string) => Promise<unknown>][] = [
  ["a frame", (path, digits) => wire.ask("edit.set", params(path, digits))],
  ["the command set", (path, digits) => cli(folder.root, ["set", "--", path, "id", digits])],
  ["the command call", (path, digits) => cli(folder.root, ["call", "edit.set", params(path, digits)])],
  ["MCP over standard streams", (path, digits) => overStdio(path, digits)],
  ["MCP over HTTP", (path, digits) => overHttp(path, digits)],
];

const FILES: readonly [path: string, textOf: (digits: string) => string][] = [
  ["a.json", (digits) => `{"id": ${digits}}\n`],
  ["a.toml", (digits) => `id = ${digits}\n`],
  ["a.yaml", (digits) => `id: ${digits}\n`],
];

describe("a number", () => {
  beforeEach(async () => {
    for (const [path, textOf] of FILES)
      await wire.ask("edit.write", { path, text: textOf("7"), version: "latest" });
  });

  for (const [door, set] of DOORS) {
    // A command takes some hundred milliseconds, and all formats share its way.
    const files = door.startsWith("the command") ? FILES.slice(0, 1) : FILES;
    test(`[SD8] through ${door} reaches the file with the digits of its sender`, async () => {
      for (const [path, textOf] of files)
        for (const digits of KEPT) {
          await set(path, digits);
          expect(folder.read(path)).toBe(textOf(digits));
        }
    });

    test(`[SD8] through ${door} that would change is refused`, async () => {
      for (const [path, textOf] of files)
        for (const digits of LOST) {
          const answer = await set(path, digits);
          expect(JSON.stringify(answer)).toContain("a number of the value would change");
          expect(folder.read(path)).toBe(textOf("7"));
        }
    });
  }

  test("[SD8] that would change is refused in a Markdown view", async () => {
    await wire.ask("edit.write", { path: "a.toml", text: "id = 1.5\n", version: "latest" });
    const { result } = await wire.ask("doc.read", { path: "a.toml", view: "markdown" });
    for (const digits of LOST) {
      const text = String(result?.["text"]).replace("1.5", digits);
      const { error } = await wire.ask("edit.write", { path: "a.toml", view: "markdown", text });
      expect(error?.message).toContain(`would change ${digits}`);
      expect(folder.read("a.toml")).toBe("id = 1.5\n");
    }
  });
});
