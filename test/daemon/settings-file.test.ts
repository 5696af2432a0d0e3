import fs, { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSettings } from "../../src/daemon/config/settings-file.ts";
import { folderWith } from "../helpers/hostile.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

const CONFIGURED = { patchMode: true, legacyOps: true };

describe("the settings of a daemon", () => {
  test("[LG10] are those that a person chose, also at the next start", () => {
    const file = join(folderWith(), "settings.json");
    openSettings(file, CONFIGURED).set({ legacyOps: false });
    expect(openSettings(file, CONFIGURED).now).toEqual({ patchMode: true, legacyOps: false });
  });

  test("[LG10] are on the disk once they are changed, with their name", () => {
    const file = join(folderWith(), "settings.json");
    const flushed: string[] = [];
    replaceBuiltin(fs, "fsyncSync", (fsyncSync) => (fd) => {
      flushed.push(fs.fstatSync(fd).isDirectory() ? "folder" : "file");
      fsyncSync(fd);
    });
    openSettings(file, CONFIGURED).set({ legacyOps: false });
    expect(flushed).toEqual(["file", "folder"]);
  });

  test("[LG11] follow the configuration again after null", () => {
    const file = join(folderWith(), "settings.json");
    const settings = openSettings(file, CONFIGURED);
    settings.set({ legacyOps: false, patchMode: false });
    settings.set({ legacyOps: null });
    expect(settings.now).toEqual({ patchMode: false, legacyOps: true });
    const other = openSettings(file, { patchMode: true, legacyOps: false });
    expect(other.now).toEqual({ patchMode: false, legacyOps: false });
  });

  test("[LG11] of a damaged file, or of one that somebody else wrote, are the configuration's", () => {
    const folder = folderWith();
    const file = join(folder, "settings.json");
    openSettings(file, CONFIGURED).set({ legacyOps: false });

    const forged = join(folder, "forged.json");
    writeFileSync(forged, readFileSync(file, "utf8").replace("false", "true"));
    writeFileSync(join(folder, "cut.json"), "{");
    for (const path of [forged, join(folder, "cut.json"), join(folder, "none.json")])
      expect(openSettings(path, CONFIGURED).now, path).toEqual(CONFIGURED);
  });
});
