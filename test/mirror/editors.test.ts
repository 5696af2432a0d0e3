import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Editors, editorsAt } from "../../src/mirror/editors/editors.ts";
import type { DocPath } from "../../src/mirror/path.ts";

const NOTES = "sub/notes.md" as DocPath;
/** The process id of no process: above Linux's largest one. */
const NOBODY = 0x7fff_ffff;

/** Returns a folder with a file, and the editors of its user, whose home folder is beside it. */
function workspace(folders: Readonly<Record<string, string>> = {}): {
  readonly root: string;
  readonly home: string;
  readonly editors: Editors;
} {
  const folder = mkdtempSync(join(tmpdir(), "spliced-editors-"));
  const [root, home] = [join(folder, "root"), join(folder, "home")];
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, NOTES), "text\n");
  const env = Object.fromEntries(
    Object.entries(folders).map(([variable, path]) => [variable, resolve(folder, path)]),
  );
  const editors = editorsAt(root, { home, env });
  onTestFinished(() => {
    editors.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { root, home, editors };
}

/** Returns the first block of a swap file as Vim writes it. */
function swap({ mtime = 1_700_000_000, ino = 4711, pid = process.pid, host = hostname() } = {}): Buffer {
  const block = Buffer.alloc(4096);
  block.write("b0VIM 9.0");
  block.writeUInt32LE(mtime, 16);
  block.writeUInt32LE(ino, 20);
  block.writeUInt32LE(pid, 24);
  block.write(host.slice(0, 39), 68);
  return block;
}

describe("Vim's swap file", () => {
  test.each([".notes.md.swp", ".notes.md.swo"])("[EV17] %s names the version that Vim has loaded", (name) => {
    const { root, editors } = workspace();
    writeFileSync(join(root, "sub", name), swap());
    expect(editors.look(NOTES)).toEqual([
      { editor: "vim", mtimeMs: 1_700_000_000_000, precisionMs: 1000, ino: 4711 },
    ]);
  });

  test.each<[what: string, content: Buffer]>([
    ["is empty", Buffer.alloc(0)],
    ["is cut short", swap().subarray(0, 500)],
    ["is no swap file", Buffer.from("hello ".repeat(1000))],
    ["holds random bytes", Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251))],
    ["is of a Vim that has ended", swap({ pid: NOBODY })],
    ["names no process", swap({ pid: 0 })],
    ["is of another machine", swap({ host: "elsewhere" })],
    ["is of a new file", swap({ mtime: 0 })],
  ])("[EV18] that %s says nothing", (_, content) => {
    const { root, editors } = workspace();
    writeFileSync(join(root, "sub/.notes.md.swp"), content);
    expect(editors.look(NOTES)).toEqual([]);
  });

  test("[EV18, I12] that is a link to a file elsewhere is not followed", () => {
    const { root, home, editors } = workspace();
    mkdirSync(home);
    writeFileSync(join(home, "swap"), swap());
    symlinkSync(join(home, "swap"), join(root, "sub/.notes.md.swp"));
    expect(editors.look(NOTES)).toEqual([]);
  });
});

describe("Neovim's swap file", () => {
  /** Writes a swap file into a folder of the user, by the name that Neovim gives it. */
  function swapOf(home: string, folder: string, file: string, content = swap()): void {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, `${file.replaceAll("/", "%")}.swp`), content);
  }

  test.each([".local/state/nvim/swap", ".local/share/nvim/swap"])(
    "[EV17] in ~/%s names the version that Neovim has loaded",
    (folder) => {
      const { root, home, editors } = workspace();
      swapOf(home, folder, join(root, NOTES));
      expect(editors.look(NOTES)).toEqual([
        { editor: "vim", mtimeMs: 1_700_000_000_000, precisionMs: 1000, ino: 4711 },
      ]);
    },
  );

  test.each([
    ["XDG_STATE_HOME", "state", "state/nvim/swap"],
    ["XDG_DATA_HOME", "data", "data/nvim/swap"],
    ["XDG_STATE_HOME", "elsewhere", "home/.local/state/nvim/swap"],
  ])("[EV17] with %s %s, the swap file in %s is found", (variable, at, folder) => {
    const { root, home, editors } = workspace({ [variable]: at });
    swapOf(join(home, ".."), folder, join(root, NOTES));
    expect(editors.look(NOTES)).toHaveLength(1);
  });

  test.each<[what: string, file: string, content: Buffer]>([
    ["is of another file", "sub/other.md", swap()],
    ["is of a Neovim that has ended", NOTES, swap({ pid: NOBODY })],
  ])("[EV18] that %s says nothing", (_, file, content) => {
    const { root, home, editors } = workspace();
    swapOf(home, ".local/state/nvim/swap", join(root, file), content);
    expect(editors.look(NOTES)).toEqual([]);
  });
});

test("[EV17] Emacs's lock names the time of the buffer's first change", () => {
  const { root, editors } = workspace();
  const before = Date.now();
  symlinkSync("mia@laptop.4711:1700000000", join(root, "sub/.#notes.md"));
  const [lock] = editors.look(NOTES);
  expect(lock).toMatchObject({ editor: "emacs" });
  expect((lock as { changedAt: number }).changedAt).toBeGreaterThan(before - 50);
});

test("[EV18] a file where Emacs's lock would be says nothing", () => {
  const { root, editors } = workspace();
  writeFileSync(join(root, "sub/.#notes.md"), "no lock");
  expect(editors.look(NOTES)).toEqual([]);
});

describe("a backup of VS Code", () => {
  /** Writes a backup whose first line is `line`. */
  function backup(home: string, line: string, beneath = ".config/Code/Backups/0123abcd/file"): void {
    const folder = join(home, beneath);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "-7f3a"), `${line}\nunsaved text\n`);
  }

  test.runIf(process.platform === "linux")("[EV17] names the version that the editor has loaded", () => {
    const { root, home, editors } = workspace();
    const { mtimeMs, size } = statSync(join(root, NOTES));
    const stamps = { mtime: Math.floor(mtimeMs), ctime: 0, size, etag: "3a", orphaned: false, typeId: "" };
    backup(home, `${pathToFileURL(join(root, NOTES)).href} ${JSON.stringify(stamps)}`);
    expect(editors.look(NOTES)).toEqual([{ editor: "vscode", mtimeMs: Math.floor(mtimeMs), precisionMs: 1 }]);
  });

  test("[EV17] of code-server has a remote address, and names the version, too", () => {
    const { root, home, editors } = workspace();
    const address = `vscode-remote://127.0.0.1:8080${pathToFileURL(join(root, NOTES)).pathname}`;
    const beneath = ".local/share/code-server/User/Backups/63857d0f/vscode-remote";
    backup(
      home,
      `${address} {"mtime":1700000000123,"ctime":0,"size":5,"etag":"3a","orphaned":false}`,
      beneath,
    );
    expect(editors.look(NOTES)).toEqual([{ editor: "vscode", mtimeMs: 1_700_000_000_123, precisionMs: 1 }]);
  });

  test.runIf(process.platform === "linux")("[EV18] of a file on another machine says nothing", () => {
    const { root, home, editors } = workspace();
    const address = `vscode-remote://ssh-remote%2Belsewhere${pathToFileURL(join(root, NOTES)).pathname}`;
    for (const scheme of ["file", "vscode-remote"])
      backup(home, `${address} {"mtime":1700000000123}`, `.config/Code/Backups/0123abcd/${scheme}`);
    expect(editors.look(NOTES)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("[EV17] in XDG_CONFIG_HOME is found", () => {
    const { root, home, editors } = workspace({ XDG_CONFIG_HOME: "config" });
    backup(
      home,
      `${pathToFileURL(join(root, NOTES)).href} {"mtime":1700000000123}`,
      "../config/Code/Backups/0123abcd/file",
    );
    expect(editors.look(NOTES)).toEqual([{ editor: "vscode", mtimeMs: 1_700_000_000_123, precisionMs: 1 }]);
  });

  test.each([
    ["is of another file", (root: string) => `${pathToFileURL(join(root, "other.md")).href} {"mtime":1}`],
    ["has no stamps", (root: string) => pathToFileURL(join(root, NOTES)).href],
    ["has broken stamps", (root: string) => `${pathToFileURL(join(root, NOTES)).href} {"mtime":`],
    ["has a wrong time", (root: string) => `${pathToFileURL(join(root, NOTES)).href} {"mtime":"now"}`],
  ])("[EV18] that %s says nothing", (_, line) => {
    const { root, home, editors } = workspace();
    backup(home, line(root));
    expect(editors.look(NOTES)).toEqual([]);
  });
});

test("[EV18] the look at editors leaves the file's access time as it is", () => {
  const { root, editors } = workspace();
  readFileSync(join(root, NOTES));
  const { atimeNs } = statSync(join(root, NOTES), { bigint: true });
  editors.look(NOTES);
  expect(statSync(join(root, NOTES), { bigint: true }).atimeNs).toBe(atimeNs);
});
