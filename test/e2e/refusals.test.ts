import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { beginShared } from "../helpers/shared.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { greetedWire, openWire, type Wire } from "./wire.ts";

const SETTINGS = "export default { limits: { maxFileBytes: 4096 } };\n";

let folder: Folder;
let outside: Folder;
let daemon: ServedFolder;
let bystander: Client;
let wire: Wire;
/** The state before a test; refusals do not change it. */
let before: Awaited<ReturnType<typeof everything>>;

beginShared(async () => {
  outside = makeFolder({ "secret.md": "secret\n" });
  folder = makeFolder({
    "daemon.config.ts": SETTINGS,
    "notes.md": "hello\nworld\n",
    "pair.md": "a👩b\n",
    "binary.bin": Uint8Array.of(0x68, 0, 0x69),
    "latin1.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
    "large.md": "x".repeat(4097),
    "folder/inside.md": "inside\n",
    ".git/config": "[core]\n",
  });
  execFileSync("mkfifo", [folder.at("fifo")]);
  symlinkSync("/dev/zero", folder.at("zero"));
  symlinkSync(outside.at("secret.md"), folder.at("out.md"));
  symlinkSync(outside.root, folder.at("out"));
  symlinkSync(".spliced/daemon.json", folder.at("inner.md"));
  symlinkSync("nowhere.md", folder.at("dangling.md"));
  symlinkSync("loop.md", folder.at("loop.md"));
  daemon = await serveFolder(folder.root);
  bystander = await daemon.connect({ name: "bystander" });
  wire = await greetedWire(daemon.located, { positionEncoding: "utf-16" });
  await bystander.request("doc.create", { path: "deleted.md", text: "gone\n" });
  await bystander.request("doc.delete", { path: "deleted.md" });
  for (const path of ["notes.md", "pair.md"]) await wire.ask("doc.read", { path });
});

beforeEach(async () => {
  before = await everything();
});

afterEach(async () => {
  expect(await everything(), "a refusal left a trace").toEqual(before);
});

/** Returns every name and byte in the workspace and beside it, and another client's view of the document. */
async function everything(): Promise<{ files: string[]; document: string }> {
  const listed: string[] = [];
  const visit = (path: string) => {
    const stats = lstatSync(path);
    const kept = stats.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
    listed.push(`${path} ${stats.mode} ${stats.isSymbolicLink() ? readlinkSync(path) : kept}`);
    if (stats.isDirectory())
      for (const name of readdirSync(path)) if (name !== ".spliced") visit(join(path, name));
  };
  visit(folder.root);
  visit(outside.root);
  const { text, version } = await bystander.request("doc.read", { path: "notes.md" });
  return { files: listed.toSorted(), document: `${version} ${text}` };
}

async function codeOf(method: string, params: string | object): Promise<string> {
  const { error, result } = await wire.ask(method, params);
  if (error === undefined) return `served: ${JSON.stringify(result).slice(0, 200)}`;
  expect(error.message).not.toBe("");
  return error.data.code;
}

describe("what the workspace holds besides", () => {
  test("[EE55] listing passes over FIFOs, devices and links, and hangs on none", async () => {
    const { docs } = await bystander.request("doc.list", {});
    expect(docs.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      "binary.bin binary",
      "daemon.config.ts text",
      "folder/inside.md text",
      "large.md too_large",
      "latin1.txt binary",
      "notes.md text",
      "pair.md text",
    ]);
  });

  test("[EE26] a subscription to everything matches the files of the workspace, and no others", async () => {
    const other = await daemon.connect({ name: "watcher" });
    mkdirSync(folder.at(".spliced/extra"), { recursive: true });
    expect(await other.request("subscribe", { pattern: "**" })).toEqual({ matched: 7 });
  });
});

/** Requests that are valid but for the document that they name. */
const READING: [method: string, more: object][] = [
  ["doc.open", {}],
  ["doc.read", {}],
  ["doc.save", {}],
  ["doc.diff", {}],
  ["doc.reload", {}],
  ["subscribe", {}],
];
const EDITING: [method: string, more: object][] = [
  ["edit.replace", { old: "hello", new: "x" }],
  ["edit.append", { text: "x\n" }],
  ["edit.write", { text: "x\n" }],
  ["edit.splice", { splices: [{ from: 0, to: 0, insert: "x" }] }],
  ["edit.lines", { changes: [{ operation: "insert", afterLine: 0, newLines: ["x"] }] }],
  ["edit.patch", { patch: "@@ -1 +1 @@\n-hello\n+x\n" }],
];
const REMOVING: [method: string, more: object][] = [
  ["doc.delete", {}],
  ["doc.rename", { to: "elsewhere.md" }],
];

describe("documents that are none", () => {
  const CASES: [what: string, path: string, code: string][] = [
    ["nothing there", "nowhere.md", "NOT_FOUND"],
    ["nothing there, in a folder that is not", "no/where.md", "NOT_FOUND"],
    ["a name below a file", "notes.md/x", "NOT_FOUND"],
    ["a deleted document", "deleted.md", "DELETED"],
    ["a binary file", "binary.bin", "NOT_TEXT"],
    ["a file that is not UTF-8", "latin1.txt", "NOT_TEXT"],
    ["a file that is too large", "large.md", "TOO_LARGE"],
    ["a FIFO", "fifo", "INVALID_ARGUMENT"],
    ["a folder", "folder", "INVALID_ARGUMENT"],
    ["a link out of the workspace", "out.md", "PATH_ESCAPE"],
    ["a file in a linked folder outside", "out/secret.md", "PATH_ESCAPE"],
    ["a link to a device", "zero", "PATH_ESCAPE"],
    ["a link into the daemon's folder", "inner.md", "PATH_ESCAPE"],
    ["a link to nothing", "dangling.md", "NOT_FOUND"],
    ["a link to itself", "loop.md", "PATH_ESCAPE"],
  ];

  for (const [what, path, code] of CASES)
    test(`[EE26] ${what} is answered ${code}, whatever is asked of it`, async () => {
      for (const [method, more] of [...READING, ...EDITING, ...REMOVING])
        expect([method, await codeOf(method, { path, ...more })]).toEqual([method, code]);
    });
});

describe("paths that lead astray", () => {
  const CASES: [what: string, path: string, code: string][] = [
    ["..", "../secret.md", "PATH_ESCAPE"],
    [".. within", "folder/../../x.md", "PATH_ESCAPE"],
    ["..  that stays inside", "folder/../notes.md", "PATH_ESCAPE"],
    ["an absolute path", "/etc/passwd", "PATH_ESCAPE"],
    ["a drive", "C:/x.md", "PATH_ESCAPE"],
    ["a home", "~/x.md", "PATH_ESCAPE"],
    ["a NUL", "notes.md\u0000.txt", "INVALID_ARGUMENT"],
    ["a backslash", "..\\secret.md", "INVALID_ARGUMENT"],
    ["an empty path", "", "INVALID_ARGUMENT"],
    ["a dot", ".", "INVALID_ARGUMENT"],
    ["an empty part", "folder//inside.md", "INVALID_ARGUMENT"],
    ["a folder's name", "folder/", "INVALID_ARGUMENT"],
    ["a name that is too long", `${"n".repeat(256)}.md`, "INVALID_ARGUMENT"],
    ["a path that is too long", `${"n/".repeat(600)}x.md`, "INVALID_ARGUMENT"],
    ["the daemon's own folder", ".spliced/daemon.json", "PERMISSION_DENIED"],
    ["the daemon's own folder, otherwise spelt", ".SPLICED/daemon.json", "PERMISSION_DENIED"],
    ["git's", ".git/config", "PERMISSION_DENIED"],
    ["git's, further down", "folder/.git/config", "PERMISSION_DENIED"],
  ];

  for (const [what, path, code] of CASES)
    test(`[I12] ${what} is answered ${code}, whatever is asked of it`, async () => {
      const asked: [string, object][] = [
        ...[...READING, ...EDITING, ...REMOVING].map(([m, more]): [string, object] => [m, { path, ...more }]),
        ["doc.create", { path, text: "x\n" }],
        ["doc.rename", { path: "notes.md", to: path }],
      ];
      for (const [method, params] of asked)
        expect([method, await codeOf(method, params)]).toEqual([method, code]);
    });

  test("[I12] nothing is made or moved through a link that leads out, nor over anything", async () => {
    const made: [path: string, code: string][] = [
      ["out/new.md", "PATH_ESCAPE"],
      ["out/new/deep.md", "PATH_ESCAPE"],
      ["out.md", "ALREADY_EXISTS"],
      ["dangling.md", "ALREADY_EXISTS"],
      ["folder", "ALREADY_EXISTS"],
      ["fifo", "ALREADY_EXISTS"],
      ["binary.bin", "ALREADY_EXISTS"],
      ["pair.md", "ALREADY_EXISTS"],
      ["notes.md/x.md", "NOT_FOUND"],
    ];
    for (const [path, code] of made) {
      expect([path, await codeOf("doc.create", { path, text: "x\n" })]).toEqual([path, code]);
      expect([path, await codeOf("doc.rename", { path: "notes.md", to: path })]).toEqual([path, code]);
    }
  });
});

describe("parameters", () => {
  const P = '"path":"notes.md"';
  const splice = (from: string, to: string) => `{${P},"splices":[{"from":${from},"to":${to},"insert":"x"}]}`;
  const BAD_ARGUMENT: [what: string, method: string, params: string][] = [
    ["no path", "doc.read", "{}"],
    ["a path that is a number", "doc.read", '{"path":7}'],
    ["a path that is null", "doc.read", '{"path":null}'],
    ["a path that is a list", "doc.read", '{"path":["notes.md"]}'],
    ["a parameter there is not", "doc.read", `{${P},"lnies":[1,2]}`],
    ["no text", "edit.append", `{${P}}`],
    ["a text that is a number", "edit.append", `{${P},"text":1}`],
    ["an empty old", "edit.replace", `{${P},"old":"","new":"x"}`],
    ["no new", "edit.replace", `{${P},"old":"hello"}`],
    ["occurrence 0", "edit.replace", `{${P},"old":"hello","new":"x","occurrence":0}`],
    ["occurrence second", "edit.replace", `{${P},"old":"hello","new":"x","occurrence":"second"}`],
    ["a broken regex", "edit.replace", `{${P},"old":"(","new":"x","regex":true}`],
    ["an unknown ack", "edit.append", `{${P},"text":"x","ack":"never"}`],
    ["an empty opId", "edit.append", `{${P},"text":"x","opId":""}`],
    ["a message of 81 characters", "edit.append", `{${P},"text":"x","message":"${"m".repeat(81)}"}`],
    ["a hash that is none", "edit.append", `{${P},"text":"x","sha256":"xyz"}`],
    ["no splices", "edit.splice", `{${P},"splices":[]}`],
    ["splices that are no list", "edit.splice", `{${P},"splices":{"from":0}}`],
    ["a splice without insert", "edit.splice", `{${P},"splices":[{"from":0,"to":0}]}`],
    ["a fractional position", "edit.splice", splice("0.5", "1")],
    ["a negative position", "edit.splice", splice("-1", "1")],
    ["a position past 2^53", "edit.splice", splice("0", "9007199254740993")],
    ["an infinite position", "edit.splice", splice("0", "1e999")],
    ["a position that is a string", "edit.splice", splice('"0"', "1")],
    ["a position that is null", "edit.splice", splice("null", "1")],
    ["line 0", "doc.read", `{${P},"lines":[0,1]}`],
    ["both lines and range", "doc.read", `{${P},"lines":[1,1],"range":[0,1]}`],
    ["no changes", "edit.lines", `{${P},"changes":[]}`],
    ["an operation there is not", "edit.lines", `{${P},"changes":[{"operation":"swap"}]}`],
    ["both patch and patch_lines", "edit.patch", `{${P},"patch":"x","patch_lines":["x"]}`],
    ["neither patch nor patch_lines", "edit.patch", `{${P}}`],
    ["a method there is not", "edit.everything", `{${P}}`],
  ];

  for (const [what, method, params] of BAD_ARGUMENT)
    test(`[EE27] ${what}: INVALID_ARGUMENT`, async () => {
      expect(await codeOf(method, params)).toBe("INVALID_ARGUMENT");
    });

  const OTHERWISE: [what: string, method: string, params: string, code: string][] = [
    ["a position past the end", "edit.splice", splice("0", "13"), "INVALID_POSITION"],
    ["a position of 2^32", "edit.splice", splice("4294967296", "4294967296"), "INVALID_POSITION"],
    ["a range that runs backwards", "edit.splice", splice("5", "2"), "INVALID_POSITION"],
    [
      "splices that overlap",
      "edit.splice",
      `{${P},"splices":[{"from":0,"to":3,"insert":"x"},{"from":2,"to":4,"insert":"y"}]}`,
      "INVALID_POSITION",
    ],
    [
      "a line past the end",
      "edit.lines",
      `{${P},"changes":[{"operation":"insert","afterLine":99,"newLines":["x"]}]}`,
      "INVALID_POSITION",
    ],
    ["a range past the end", "doc.read", `{${P},"range":[0,1000]}`, "INVALID_POSITION"],
    ["lines that run backwards", "doc.read", `{${P},"lines":[2,1]}`, "INVALID_POSITION"],
    ["lines past the end", "doc.read", `{${P},"lines":[9,10]}`, "INVALID_POSITION"],
    ["text that is not there", "edit.replace", `{${P},"old":"nowhere","new":"x"}`, "NO_MATCH"],
    ["text that is there twice", "edit.replace", `{${P},"old":"l","new":"x"}`, "AMBIGUOUS_MATCH"],
    ["an occurrence too many", "edit.replace", `{${P},"old":"l","new":"x","occurrence":9}`, "NO_MATCH"],
    [
      "a version of another history",
      "edit.append",
      `{${P},"text":"x","version":"0-zzzzzz"}`,
      "STALE_VERSION",
    ],
    [
      "a hash of no version",
      "edit.append",
      `{${P},"text":"x","sha256":"${"0".repeat(64)}"}`,
      "STALE_VERSION",
    ],
    [
      "a patch of other lines",
      "edit.patch",
      `{${P},"patch":"@@ -1 +1 @@\\n-other\\n+x\\n"}`,
      "PATCH_REJECTED",
    ],
    [
      "lines that read otherwise",
      "edit.lines",
      `{${P},"changes":[{"operation":"delete","startLine":1,"endLine":1,"expectedOriginalLines":["other"]}]}`,
      "NO_MATCH",
    ],
    ["a text over the limit", "edit.write", `{${P},"text":"${"y".repeat(4097)}"}`, "TOO_LARGE"],
    [
      "a new document over the limit",
      "doc.create",
      `{"path":"new.md","text":"${"y".repeat(4097)}"}`,
      "TOO_LARGE",
    ],
    ["a NUL in a text", "edit.append", `{${P},"text":"x\\u0000y"}`, "NOT_TEXT"],
    ["a NUL in a new document", "doc.create", `{"path":"new.md","text":"x\\u0000y"}`, "NOT_TEXT"],
  ];

  for (const [what, method, params, code] of OTHERWISE)
    test(`[EE27] ${what}: ${code}`, async () => {
      expect(await codeOf(method, params)).toBe(code);
    });
});

describe("surrogates", () => {
  test("[EE28] positions inside a pair are refused, those around it are not", async () => {
    const at = (from: number, to: number) => ({ path: "pair.md", splices: [{ from, to, insert: "x" }] });
    for (const [from, to] of [
      [2, 2],
      [1, 2],
      [2, 3],
      [0, 2],
    ] as const)
      expect(await codeOf("edit.splice", at(from, to))).toBe("INVALID_POSITION");
    expect(await codeOf("doc.read", { path: "pair.md", range: [0, 2] })).toBe("INVALID_POSITION");
    expect((await wire.ask("doc.read", { path: "pair.md", range: [1, 3] })).result).toMatchObject({
      text: "👩",
    });
  });

  test("[EE28] so are positions inside a character for a client that counts bytes", async () => {
    const bytes = await greetedWire(daemon.located, { positionEncoding: "utf-8" });
    await bytes.ask("doc.read", { path: "pair.md" });
    for (const at of [2, 3, 4]) {
      const { error } = await bytes.ask("edit.splice", {
        path: "pair.md",
        splices: [{ from: at, to: at, insert: "x" }],
      });
      expect(error?.data.code).toBe("INVALID_POSITION");
    }
    expect((await bytes.ask("doc.read", { path: "pair.md", range: [1, 5] })).result).toMatchObject({
      text: "👩",
    });
  });

  const LONE = "\\ud83d";
  const STRINGS: [what: string, method: string, params: string][] = [
    ["text", "edit.append", `{"path":"notes.md","text":"${LONE}"}`],
    ["a whole text", "edit.write", `{"path":"notes.md","text":"a${LONE}b"}`],
    ["old", "edit.replace", `{"path":"pair.md","old":"${LONE}","new":"x"}`],
    ["new", "edit.replace", `{"path":"notes.md","old":"hello","new":"${LONE}"}`],
    ["an insert", "edit.splice", `{"path":"notes.md","splices":[{"from":0,"to":0,"insert":"${LONE}"}]}`],
    [
      "a low one in a line",
      "edit.lines",
      '{"path":"notes.md","changes":[{"operation":"insert","afterLine":0,"newLines":["\\udc00"]}]}',
    ],
    ["a patch", "edit.patch", `{"path":"notes.md","patch":"@@ -1 +1 @@\\n-hello\\n+${LONE}\\n"}`],
    ["a new document", "doc.create", `{"path":"new.md","text":"${LONE}"}`],
    ["a path", "doc.create", `{"path":"new${LONE}.md","text":"x"}`],
    ["a path to rename to", "doc.rename", `{"path":"notes.md","to":"new${LONE}.md"}`],
    ["a message", "edit.append", `{"path":"notes.md","text":"x","message":"${LONE}"}`],
    ["an opId", "edit.append", `{"path":"notes.md","text":"x","opId":"${LONE}"}`],
  ];

  for (const [what, method, params] of STRINGS)
    test(`[EE28] a lone one in ${what}: INVALID_ARGUMENT`, async () => {
      expect(await codeOf(method, params)).toBe("INVALID_ARGUMENT");
    });

  test("[EE28] a lone one in an agent's name: INVALID_ARGUMENT", async () => {
    const other = await openWire(daemon.located);
    const { error } = await other.ask("hello", `{"protocol":1,"agent":{"name":"${LONE}"}}`);
    expect(error?.data.code).toBe("INVALID_ARGUMENT");
  });
});
