import { cpSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { daemonFileText, readDaemonFile } from "../../src/state/daemon-file.ts";
import { folderId } from "../../src/state/folder.ts";
import { makeKey, readKey } from "../../src/state/key.ts";
import { readSealed, sealed } from "../../src/state/seal.ts";
import { folderWith } from "../helpers/hostile.ts";

const HOME = process.env["XDG_STATE_HOME"]!;
afterEach(() => {
  process.env["XDG_STATE_HOME"] = HOME;
});

/** Returns a folder with a sealed file in it. */
function withSealed(): { folder: string; file: string } {
  const folder = folderWith();
  const file = join(folder, "tokens.json");
  writeFileSync(file, sealed(file, { version: 1 }));
  return { folder, file };
}

describe("this user's key", () => {
  test("[SF11] is outside every workspace, private to its owner, and created once", () => {
    process.env["XDG_STATE_HOME"] = folderWith();
    expect(readKey()).toBeUndefined();
    const key = makeKey();
    expect([makeKey(), readKey()]).toEqual([key, key]);
    const at = join(process.env["XDG_STATE_HOME"], "spliced");
    expect([statSync(at).mode & 0o777, statSync(join(at, "key")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("[SF19] that cannot be stored is reported with the variable to set", () => {
    process.env["XDG_STATE_HOME"] = join(folderWith({ "no-folder": "" }), "no-folder");
    expect(() => makeKey()).toThrow(/Set XDG_STATE_HOME/);
  });
});

describe("a sealed file", () => {
  test("[SF8] is genuine in its folder, even after the folder was moved or restored", () => {
    const { folder, file } = withSealed();
    expect(readSealed(file)).toEqual({ content: { version: 1 }, genuine: true });
    renameSync(folder, `${folder}-moved`);
    expect(readSealed(join(`${folder}-moved`, "tokens.json"))?.genuine).toBe(true);
    cpSync(`${folder}-moved`, folder, { recursive: true });
    rmSync(`${folder}-moved`, { recursive: true });
    expect(readSealed(file)?.genuine).toBe(true);
  });

  test("[SF8] is not genuine in a copy, under another name, changed, unsealed, or with another user's key", () => {
    const { folder, file } = withSealed();
    const copy = folderWith();
    cpSync(folder, copy, { recursive: true });
    expect(readSealed(join(copy, "tokens.json"))?.genuine).toBe(false);
    cpSync(file, join(folder, "sign-ins.json"));
    expect(readSealed(join(folder, "sign-ins.json"))?.genuine).toBe(false);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"version": 1', '"version": 2'));
    expect(readSealed(file)).toEqual({ content: { version: 2 }, genuine: false });
    writeFileSync(file, '{"version":1,"seal":null}');
    expect(readSealed(file)?.genuine).toBe(false);
    writeFileSync(file, "[]");
    expect(readSealed(file)).toEqual({ content: [], genuine: false });
    writeFileSync(file, text);
    process.env["XDG_STATE_HOME"] = folderWith();
    expect(readSealed(file)?.genuine).toBe(false);
    makeKey();
    expect(readSealed(file)?.genuine).toBe(false);
  });

  test("[SF5] daemon.json is genuine only in its very folder and unchanged", () => {
    const state = folderWith();
    const copy = folderWith();
    const info = { url: "http://127.0.0.1:1", rpc: "ws://127.0.0.1:1/rpc", token: "t", version: "1" };
    const whole = { ...info, pid: 1, startedAt: "now", folder: folderId(state), began: "1" };
    const text = daemonFileText(makeKey(), whole);
    const read = (folder: string, content: string) => {
      writeFileSync(join(folder, "daemon.json"), content);
      return readDaemonFile(folder);
    };
    expect(read(state, text)).toEqual({ kind: "genuine", info: whole });
    expect(read(copy, text)).toMatchObject({ kind: "doubtful", reason: expect.stringContaining("a copy") });
    for (const planted of [text.replace(":1/rpc", ":2/rpc"), JSON.stringify(whole), "{}", "null", '{"pid":'])
      expect(read(state, planted).kind).toBe("doubtful");
  });
});
