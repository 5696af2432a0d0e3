import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkState, checkWorkspace, openState } from "../../src/state/folder.ts";
import { readOwn, writeOwn } from "../../src/state/own.ts";
import { StateError, swapDoubt, writerDoubt } from "../../src/state/trust.ts";
import { folderWith, isRoot, STRANGER } from "../helpers/hostile.ts";

const FILES = [".gitignore", "daemon.json", "daemon.lock", "tokens.json", "sign-ins.json", "start.log"];
const FOLDERS = ["tmp", "store", "log"];
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a state folder", () => {
  for (const name of [...FILES, ...FOLDERS, "store/data.mdb", "store/lock.mdb", "log/daemon.1.log"])
    test(`[SF1] whose ${name} is a link is refused, and the link's target is not touched (I17)`, () => {
      const outside = folderWith({ precious: "precious\n" });
      const state = openState(folderWith());
      if (name.includes("/")) mkdirSync(join(state, name, ".."));
      symlinkSync(FOLDERS.includes(name) ? outside : join(outside, "precious"), join(state, name));
      expect(() => checkState(state)).toThrow(`${join(state, name)} is a link`);
      expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious\n");
    });

  for (const name of FILES)
    test(`[SF12] whose ${name} is a FIFO or a folder is refused without waiting for it`, () => {
      const state = openState(folderWith());
      execFileSync("mkfifo", [join(state, name)]);
      expect(() => checkState(state)).toThrow(/is a FIFO, but spliced needs a file.*Remove the FIFO/);
      rmSync(join(state, name));
      mkdirSync(join(state, name));
      expect(() => checkState(state)).toThrow(/is a folder, but spliced needs a file/);
    });

  test("[SF1, SF12] that is a link, or a file, is refused", () => {
    const root = folderWith({ elsewhere: "" });
    symlinkSync(folderWith(), join(root, ".spliced"));
    expect(() => openState(root)).toThrow(StateError);
    expect(() => openState(folderWith({ ".spliced": "" }))).toThrow(/Remove the file/);
  });

  test("[SF1] replaces a whole file in one step, and a link at its path, too", () => {
    const root = folderWith({ outside: "precious\n" });
    symlinkSync(join(root, "outside"), join(root, "a"));
    expect(() => readOwn(join(root, "a"))).toThrow(/is a link/);
    writeOwn(join(root, "a"), "new\n");
    expect([readOwn(join(root, "a")), readFileSync(join(root, "outside"), "utf8")]).toEqual([
      "new\n",
      "precious\n",
    ]);
  });

  test("[SF2] with access for other users is made private, with its entries", () => {
    const root = folderWith({ ".spliced/tokens.json": "{}", ".spliced/log/daemon.1.log": "" });
    const at = (name: string) => join(root, ".spliced", name);
    for (const name of ["", "log"]) chmodSync(at(name), 0o777);
    chmodSync(at("tokens.json"), 0o666);
    checkState(openState(root));
    expect([at(""), at("log"), at("tokens.json"), at("log/daemon.1.log")].map(modeOf)).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
  });

  test.runIf(isRoot)("[SF13] that belongs to another user, or a file in it that does, is refused", () => {
    const root = folderWith({ ".spliced/tokens.json": "{}" });
    chownSync(join(root, ".spliced/tokens.json"), STRANGER, STRANGER);
    expect(() => checkState(openState(root))).toThrow(/tokens\.json belongs to user 65534/);
    chownSync(join(root, ".spliced"), STRANGER, STRANGER);
    expect(() => openState(root)).toThrow(/belongs to user 65534.*Run spliced as that user/s);
  });
});

describe("a workspace", () => {
  afterEach(() => {
    delete process.env["SPLICED_TRUST"];
  });

  test("[SF3, SF14] that other users can write to is refused, unless SPLICED_TRUST names it", () => {
    const root = folderWith();
    chmodSync(root, 0o777);
    expect(() => checkWorkspace(root)).toThrow(/other users can write to it \(mode 777\).*chmod go-w/);
    process.env["SPLICED_TRUST"] = root;
    expect(() => checkWorkspace(root)).not.toThrow();
  });

  test.runIf(isRoot)("[SF3] that belongs to another user is not used", () => {
    const root = folderWith();
    chownSync(root, STRANGER, STRANGER);
    expect(() => openState(root)).toThrow(/spliced does not use .* as a workspace: it belongs to user 65534/);
    expect(() => statSync(join(root, ".spliced"))).toThrow();
  });

  test("[SF3] with write access for a group is refused, except for the user's own group; a sticky folder protects its entries", () => {
    const owned = { uid: 1000, gid: 1000, mode: 0o40775 };
    expect(writerDoubt(owned)).toBeUndefined();
    expect(writerDoubt({ ...owned, gid: 100 })).toMatch(/mode 775/);
    expect(swapDoubt({ ...owned, mode: 0o41777 })).toBeUndefined();
    expect(writerDoubt({ ...owned, mode: 0o41777 })).toMatch(/mode 1777/);
  });
});
