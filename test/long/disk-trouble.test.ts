import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Health } from "../../src/daemon/reports/health.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { unable } from "../e2e/able.ts";
import { cli } from "../e2e/cli.ts";
import { type Daemon, startDaemon } from "../e2e/daemon.ts";
import { failingCall, fillUp, makeSmallDisk, noInjection, noMounts } from "../e2e/faulty-disk.ts";
import { makeFolder } from "../e2e/folder.ts";
import { Ledger, NOTHING_AMISS } from "../e2e/ledger.ts";
import { counted } from "../e2e/long.ts";
import { until } from "../e2e/until.ts";

const PATH = "notes.md";

async function health({ located }: Daemon): Promise<Health> {
  return (await (await fetch(`${located.url}/health`)).json()) as Health;
}

describe.skipIf(unable("calls that fail", noInjection())).concurrent("a disk that refuses a flush", () => {
  // The first flushes are those of groups, the later ones those of the database that takes in the log.
  for (const nth of counted([1, 4, 14], 50))
    test(`[FA1] flush ${nth}: nothing is acknowledged that was not kept, reading goes on, and health says why`, async () => {
      const folder = makeFolder({ [PATH]: "start\n" });
      await openLmdbStore(folder.at(".spliced/store")).close(); // so that the first flushes are those of edits
      const daemon = await startDaemon(folder.root, failingCall("fdatasync", "EIO", nth));
      const client = await daemon.connect({ name: "ann" });
      const ledger = new Ledger();
      const edit = async () => {
        const marker = ledger.marker("ann");
        const params = { path: PATH, text: `${marker}\n`, ack: "durable" } as const;
        await client.request("edit.append", params);
        ledger.note(marker);
      };
      const untilRefused = async () => {
        for (const start = Date.now(); Date.now() - start < 60_000; ) await edit();
      };
      await expect(untilRefused()).rejects.toMatchObject({ code: "INTERNAL" });
      await expect(edit()).rejects.toMatchObject({
        code: "INTERNAL",
        suggestion: expect.stringContaining("restart the daemon"),
      });
      expect(ledger.audit((await client.request("doc.read", { path: PATH })).text)).toEqual(NOTHING_AMISS);
      const { status, problems } = await health(daemon);
      expect(status).toBe("degraded");
      expect(problems[0]).toMatchObject({ what: "store", kind: "failed", since: expect.any(String) });
      expect(problems[0]?.advice).toContain("Check the disk");
      await daemon.stop();
      const next = await (await startDaemon(folder.root)).connect();
      expect(ledger.audit((await next.request("doc.read", { path: PATH })).text)).toEqual(NOTHING_AMISS);
      await next.request("edit.append", { path: PATH, text: "after\n" });
      expect(folder.read(PATH)).toMatch(/^start\n(.*\n)*after\n$/);
    });
});

describe.skipIf(unable("calls that fail", noInjection())).concurrent("a disk that refuses a write", () => {
  for (const [error, nth] of counted([3, 60], 50).flatMap((nth) => [
    ["ENOSPC", nth] as const,
    ["EIO", nth] as const,
  ]))
    test(`[FA1] write ${nth} with ${error}: the edit is refused or the daemon ends, and what was acknowledged stays`, async () => {
      const folder = makeFolder({ [PATH]: "start\n" });
      await openLmdbStore(folder.at(".spliced/store")).close();
      const daemon = await startDaemon(folder.root, failingCall("pwrite64", error, nth));
      const client = await daemon.connect({ name: "ann" });
      const ledger = new Ledger();
      for (let refused = 0; refused < 3 && ledger.size < 100; ) {
        const marker = ledger.marker("ann");
        const edit = client.request("edit.append", { path: PATH, text: `${marker}\n`, ack: "durable" });
        const answer = await edit.catch(() => undefined);
        if (answer === undefined) refused++;
        else ledger.note(marker);
      }
      await daemon.kill();
      const next = await (await startDaemon(folder.root)).connect();
      expect(ledger.audit((await next.request("doc.read", { path: PATH })).text)).toEqual(NOTHING_AMISS);
      const whole = () => ledger.audit(folder.read(PATH));
      await until("the file holds it, too", whole, ({ lost }) => lost.length === 0);
    });
});

describe.skipIf(unable("small disks", noMounts())).concurrent("a full disk", () => {
  test("[EE38, TM13, TM45] doctor reports it, and init leaves no half of a file", async () => {
    const folder = makeSmallDisk(64 << 10);
    fillUp(folder);
    const doctor = await cli(folder.root, ["doctor"]);
    expect(doctor).toMatchObject({ code: 1, err: expect.stringContaining("spliced cannot serve") });
    expect(doctor.out).toMatch(/✗ writing +ENOSPC/);
    expect(doctor.out).toMatch(/space +0 MiB free/);
    expect(await cli(folder.root, ["init"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("the disk has no space left (ENOSPC)"),
    });
    expect(existsSync(folder.at("daemon.config.ts"))).toBe(false);
  });

  test("[FA2] edits are refused and leave the file byte for byte; once there is space they go on by themselves", async () => {
    const folder = makeSmallDisk(1 << 20, { [PATH]: "start\n" });
    const daemon = await startDaemon(folder.root);
    const client = await daemon.connect();
    const append = (text: string) => client.request("edit.append", { path: PATH, text });
    await append("one\n");
    const makeRoom = fillUp(folder);
    const held = folder.bytes(PATH);
    for (let i = 0; i < 3; i++) await expect(append("two\n")).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect(folder.bytes(PATH)).toEqual(held);
    expect((await client.request("doc.read", { path: PATH })).text).toBe("start\none\n");
    expect(await health(daemon)).toMatchObject({
      status: "degraded",
      problems: [{ what: "store", kind: "full", advice: expect.stringContaining("Free some space") }],
    });
    const { out } = await cli(folder.root, ["status"]);
    expect(out).toMatch(/degraded.*no space left.*since \d{4}-.*Free some space/s);
    makeRoom();
    await until("nobody writes, and it is well again", async () => (await health(daemon)).status === "ok");
    await append("three\n");
    expect(folder.read(PATH)).toBe("start\none\nthree\n");
  });

  test("[FA2] with 256 KB from the start: whatever is refused, the file holds all that was acknowledged", async () => {
    const folder = makeSmallDisk(256 << 10, { [PATH]: "start\n" });
    const ledger = new Ledger();
    let daemon = await startDaemon(folder.root);
    const client = await daemon.connect({ name: "ann" });
    for (let i = 0; i < 60; i++) {
      const marker = ledger.marker("ann");
      const text = `${marker} ${"x".repeat(1500)}\n`;
      const answer = await client.request("edit.append", { path: PATH, text }).catch(({ code }) => {
        expect(code).toBe("STORAGE_FULL");
      });
      if (answer !== undefined) ledger.note(marker);
      if (answer?.mirrored) expect(ledger.audit(folder.read(PATH))).toEqual(NOTHING_AMISS);
    }
    await daemon.kill();
    daemon = await startDaemon(folder.root);
    const { text } = await (await daemon.connect()).request("doc.read", { path: PATH });
    expect(ledger.audit(text)).toEqual(NOTHING_AMISS);
    console.info(`full disk: ${ledger.size} edits of 60 fitted into 256 KB`);
  });
});
