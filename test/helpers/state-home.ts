import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LONG } from "../e2e/long.ts";

/**
 * Gives tests a key of their own, also the daemons and commands that they start; and a folder of this run of vitest.
 * Node 20 reads the certificates that `NODE_EXTRA_CA_CERTS` names at each start, which takes longer than the rest of the
 * start. The tests start hundreds of processes, and only those of the long form reach another machine.
 */
export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "spliced-state-home-"));
  const folder = (name: string) => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  process.env["XDG_STATE_HOME"] = folder("state");
  process.env["RUN_FOLDER"] = folder("run");
  if (!LONG) delete process.env["NODE_EXTRA_CA_CERTS"];
  return () => rmSync(home, { recursive: true, force: true });
}
