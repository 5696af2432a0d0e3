import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../src/client/node.ts";
import { startDaemon } from "../../src/daemon/daemon.ts";
import { folderWith } from "../helpers/hostile.ts";

const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;

test("[PK10] a start that fails after the daemon listens leaves nothing open, and the next one serves", async () => {
  const root = folderWith({ "notes.md": "one\n", ".spliced/daemon.json/in-the-way": "" });
  const [daemonFile, lock] = ["daemon.json", "daemon.lock"].map((name) => join(root, ".spliced", name));
  const before = listening();
  await expect(startDaemon({ root, port: 0 })).rejects.toThrow(/daemon\.json/);
  expect([listening(), existsSync(lock!)]).toEqual([before, false]);
  rmSync(daemonFile!, { recursive: true });

  const daemon = await startDaemon({ root, port: 0 });
  const client = await connect({ ...daemon.info, name: "reader", reconnect: false });
  expect(await client.doc.read({ path: "notes.md" })).toMatchObject({ text: "one\n" });
  await client.close();
  await daemon.close();
  expect([listening(), existsSync(lock!), existsSync(daemonFile!)]).toEqual([before, false, false]);
  expect(events(root)).toEqual(["daemon.ready", "daemon.stopped"]);
});

function events(root: string): string[] {
  const lines = readFileSync(join(root, ".spliced/log/daemon.1.log"), "utf8").trim().split("\n");
  return lines
    .map((line) => (JSON.parse(line) as { event: string }).event)
    .filter((event) => event.startsWith("daemon."));
}
