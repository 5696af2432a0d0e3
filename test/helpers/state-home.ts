import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives tests a key of their own, and also the daemons and commands that they start. */
export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "spliced-state-home-"));
  process.env["XDG_STATE_HOME"] = home;
  return () => rmSync(home, { recursive: true, force: true });
}
