import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives tests a key of their own, also the daemons and commands that they start; and a folder of this run of vitest. */
export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "spliced-state-home-"));
  const folder = (name: string) => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  process.env["XDG_STATE_HOME"] = folder("state");
  process.env["RUN_FOLDER"] = folder("run");
  return () => rmSync(home, { recursive: true, force: true });
}
