import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { crowd } from "./crowd.ts";
import { startDaemon } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { makeFolder } from "./folder.ts";
import { NOTHING_AMISS } from "./ledger.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { until } from "./until.ts";

const ANCHORS = ["one:", "two:", "three:"];
const TURNS = 8;
/** strace makes every exchange of two names fail, as on a file system without it, and changes no other call. */
const REFUSED = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null"].concat([
  "-e",
  "trace=renameat2",
  "-e",
  "inject=renameat2:error=EINVAL",
]);

const traced = spawnSync(REFUSED[0]!, [...REFUSED.slice(1), "true"]).status === 0;
if (!traced) console.warn("strace is missing or may not trace: the tests without exchange are left out");

describe.runIf(traced)("a file system that cannot exchange two names", () => {
  test("[EE37] agents and an editor that saves in place: every edit and every save is there once", async () => {
    const folder = makeFolder({ "a.md": ANCHORS.map((anchor) => `${anchor}\n`).join("") });
    const daemon = await startDaemon(folder.root, { through: REFUSED });
    const file = folder.at("a.md");
    const agents = await crowd(daemon, "a.md", ANCHORS, seeded(chosenSeed(7)));
    for (let turn = 0; turn < TURNS; turn++) {
      await agents.more(4);
      const marker = agents.ledger.marker("person");
      await whileStopped(daemon.pid, () => {
        if (turn % 2 === 0) appendFileSync(file, `${marker}\n`);
        else writeFileSync(file, readFileSync(file, "utf8").replace("two:", `two: ${marker}`));
      });
      agents.ledger.note(marker);
    }
    await agents.stop();
    const client = await daemon.connect();
    const { text } = await client.request("doc.read", { path: "a.md" });
    expect(agents.ledger.audit(text)).toEqual(NOTHING_AMISS);
    await until("the file holds what memory does", () => folder.read("a.md") === text);
  });

  further("[EE37] what is written through a descriptor from before an edit is in the file", async () => {
    const folder = makeFolder({ "a.md": "one\ntwo\n" });
    const daemon = await startDaemon(folder.root, { through: REFUSED });
    const client = await daemon.connect();
    const fd = openSync(folder.at("a.md"), "a");
    await client.request("edit.replace", { path: "a.md", old: "one", new: "1" });
    writeSync(fd, "written on\n");
    closeSync(fd);
    await until("both are in the file", () => folder.read("a.md") === "1\ntwo\nwritten on\n");
  });
});
