import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { approveConfig } from "../../src/daemon/config/config.ts";
import { examine } from "../../src/daemon/doctor/doctor.ts";
import { folderWith } from "../helpers/hostile.ts";

const ownership = (root: string) => examine(root).find(({ what }) => what === "ownership");

afterEach(() => {
  delete process.env["SPLICED_TRUST"];
});

describe("doctor's check of ownership", () => {
  test("[EE38, SF3] accepts a folder that only this user can write, and creates no state folder", () => {
    const root = folderWith({ "daemon.config.ts": "export default {};\n" });
    expect(ownership(root)).toMatchObject({ state: "ok" });
    expect(existsSync(join(root, ".spliced"))).toBe(false);
  });

  test("[EE38, SF3] says why a folder that others can write is not served, and what SPLICED_TRUST means", () => {
    const root = folderWith();
    chmodSync(root, 0o777);
    expect(ownership(root)).toMatchObject({
      state: "bad",
      means: expect.stringMatching(/mode 777.*SPLICED_TRUST/),
    });
    process.env["SPLICED_TRUST"] = root;
    expect(ownership(root)).toMatchObject({ state: "limited", found: "SPLICED_TRUST names the folder" });
  });

  test("[EE38, SF1] names a link in its state folder", () => {
    const root = folderWith({ ".spliced/.gitignore": "" });
    symlinkSync(folderWith(), join(root, ".spliced", "tmp"));
    expect(ownership(root)).toMatchObject({ state: "bad", means: expect.stringContaining("tmp is a link") });
  });

  test("[EE38, SF21] names a configuration that nobody approved, and runs none", () => {
    const root = folderWith({ "daemon.config.ts": "throw new Error('it ran');\n" });
    expect(ownership(root)).toMatchObject({ state: "bad", means: expect.stringContaining("spliced trust") });
    approveConfig(root);
    expect(ownership(root)).toMatchObject({ state: "ok" });
  });

  test("[EE38, SF4] names a configuration that others can write", () => {
    const root = folderWith({ "daemon.config.ts": "export default {};\n" });
    expect(ownership(root)).toMatchObject({ state: "ok" });
    chmodSync(join(root, "daemon.config.ts"), 0o666);
    expect(ownership(root)).toMatchObject({ state: "bad", means: expect.stringContaining("does not run") });
  });
});
