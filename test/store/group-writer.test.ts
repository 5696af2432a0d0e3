import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Behind } from "../../src/store/lmdb/behind.ts";
import { GroupWriter } from "../../src/store/lmdb/group-writer.ts";
import { StoreHealth } from "../../src/store/lmdb/store-health.ts";
import { type RecordWrite, unpackGroup } from "../../src/store/lmdb/write.ts";
import { type LogDisk, systemDisk } from "../../src/store/log/disk.ts";
import { FrontLog } from "../../src/store/log/front-log.ts";
import { nameOf, readLog, segmentsIn } from "../../src/store/log/replay.ts";
import { storeFailure } from "../../src/store/store.ts";
import { BUSY_GROUPS, folder } from "./logged.ts";

const DATABASE = 7;

/** A database that takes in writes, or refuses them. */
class Taken {
  readonly records = new Map<string, string | undefined>();
  readonly transactions: number[] = [];
  seq = 0;
  error: Error | undefined;
  readonly #at: string;

  constructor(at: string) {
    this.#at = at;
  }

  readonly commit = async (writes: readonly RecordWrite[], seq: number): Promise<void> => {
    await Promise.resolve();
    if (this.error !== undefined) throw this.error;
    expect(seq).toBeGreaterThanOrEqual(this.seq);
    for (const { key, bytes } of writes) this.records.set(String(key), bytes?.toString());
    this.transactions.push(writes.length);
    this.seq = seq;
  };

  /** Returns what a start after a crash reads: the database, and what the log adds. */
  afterCrash(): Map<string, string | undefined> {
    const records = new Map(this.records);
    for (const { payload } of readLog(this.#at, DATABASE, this.seq).groups)
      for (const { key, bytes } of unpackGroup(payload)) records.set(String(key), bytes?.toString());
    return records;
  }
}

/** The system's disk. While `error` is set, a write leaves its bytes, and its flush fails. `freeBytes` are free. */
class FailingDisk implements LogDisk {
  readonly flags = systemDisk.flags;
  error: string | undefined;
  freeBytes = Number.POSITIVE_INFINITY;

  async write(fd: number, bytes: Buffer, at: number): Promise<void> {
    await systemDisk.write(fd, bytes, at);
    if (this.error !== undefined)
      throw Object.assign(new Error(`${this.error}: in the test`), { code: this.error });
  }

  free(): number {
    return this.freeBytes;
  }
}

function opened() {
  const at = folder();
  const disk = new FailingDisk();
  writeFileSync(join(at, "data.mdb"), "");
  const behind = new Behind();
  const taken = new Taken(at);
  const health = new StoreHealth(join(at, "data.mdb"), () => put("probe", "x"));
  const replayed = { groups: [], last: 0, names: [], nextNumber: 1 };
  const log = new FrontLog(at, DATABASE, replayed, () => {}, disk);
  const { commit } = taken;
  const writer = new GroupWriter({ health, log, behind, commit, seq: 0, reached: () => {} });
  const put = (key: string, value: string) =>
    writer.write(() => [{ table: "peers", key, bytes: Buffer.from(value) }], value.length);
  onTestFinished(async () => {
    disk.error = undefined;
    health.close();
    await writer.close();
  });
  const get = (key: string) => behind.get("peers", key)?.bytes?.toString() ?? taken.records.get(key);
  return { at, disk, behind, taken, health, log, writer, put, get };
}

/** A writer that is busy and has a log. */
async function busy() {
  const parts = opened();
  for (let i = 0; i < BUSY_GROUPS; i++) await parts.put("warm", String(i));
  await expect.poll(() => parts.log.isMade).toBe(true);
  return parts;
}

describe("a writer of groups", () => {
  test("[ST12, ST38] writes together what waits together, in order, also to one record", async () => {
    const { put, taken, get } = await busy();
    const before = taken.transactions.length;
    await Promise.all(["1", "2", "3"].map((value) => put("a", value)));
    expect([get("a"), taken.transactions.length, taken.afterCrash().get("a")]).toEqual(["3", before, "3"]);
  });

  test("[ST38] a group that is too large for the log goes to the database, after what is behind", async () => {
    const { put, taken, behind } = await busy();
    await put("a", "1");
    await Promise.all([put("a", "2"), put("b", "x".repeat(300_000))]);
    expect([taken.records.get("a"), taken.records.get("b")?.length, behind.isEmpty]).toEqual([
      "2",
      300_000,
      true,
    ]);
    await put("a", "3");
    expect(taken.afterCrash().get("a")).toBe("3");
  });

  test("[ST48] a group of many sparing records goes to the database at once, and one of many others does not", async () => {
    const { writer, taken, behind } = await busy();
    const write = (count: number, sparing: boolean) =>
      writer.write(
        () =>
          Array.from({ length: count }, (_, i) => ({ table: "peers", key: `${i}`, bytes: Buffer.from("x") })),
        count,
        { sparing },
      );
    await write(129, false);
    await write(128, true);
    expect(behind.isEmpty).toBe(false);
    await write(129, true);
    expect([behind.isEmpty, taken.records.get("128")]).toEqual([true, "x"]);
  });

  test("[ST39] a write of nothing has no number, which the log would miss", async () => {
    const { put, writer, log, taken } = opened();
    await put("a", "1");
    await writer.write(() => []);
    await log.make();
    await put("a", "2");
    expect(() => taken.afterCrash()).not.toThrow();
    expect(taken.afterCrash().get("a")).toBe("2");
  });

  test("[ST34] a group whose flush failed is refused and not there at the next start, and no later one is accepted", async () => {
    const { put, taken, get, health, disk } = await busy();
    await put("a", "1");
    disk.error = "EIO";
    const refused = [put("a", "2"), put("b", "2")].map((write) => write.catch((error: unknown) => error));
    for (const error of await Promise.all(refused)) expect(error).toMatchObject({ kind: "failed" });
    disk.error = undefined;
    await expect(put("a", "3")).rejects.toMatchObject({ kind: "failed" });
    expect([get("a"), taken.afterCrash().get("a"), taken.afterCrash().get("b")]).toEqual([
      "1",
      "1",
      undefined,
    ]);
    expect(health.trouble).toMatchObject({ kind: "failed", message: expect.stringContaining("EIO") });
  });

  test("[ST34] a group for which there was no space is refused and not there, and the next one is", async () => {
    const { put, taken, get, health, disk } = await busy();
    await put("a", "1");
    disk.error = "ENOSPC";
    expect(await storeFailure(put("a", "2"))).toMatchObject({ kind: "full" });
    disk.error = undefined;
    expect([get("a"), taken.afterCrash().get("a")]).toEqual(["1", "1"]);
    await put("b", "3");
    expect(health.trouble).toBeUndefined();
    expect([taken.afterCrash().get("a"), taken.afterCrash().get("b")]).toEqual(["1", "3"]);
  });

  test("[ST33] what the database cannot take in stays in the log, is read, and goes to the database once there is space", async () => {
    const { put, taken, get, health, behind } = await busy();
    taken.error = new Error("ENOSPC: no space left on device");
    await put("a", "1");
    await expect.poll(() => health.trouble?.kind).toBe("full");
    expect([get("a"), taken.records.get("a"), taken.afterCrash().get("a")]).toEqual(["1", undefined, "1"]);
    await expect(put("b", "2")).rejects.toMatchObject({ kind: "full" });
    expect(get("a")).toBe("1");
    taken.error = undefined;
    await expect.poll(() => health.trouble).toBeUndefined();
    expect([taken.records.get("a"), get("b"), behind.isEmpty]).toEqual(["1", undefined, true]);
  });

  test("[ST33] what the database failed to take in is in the log for the next start, also after a close", async () => {
    const { at, put, taken, health, writer } = await busy();
    await put("a", "1");
    taken.error = new Error("Input/output error");
    health.close();
    await writer.close();
    expect([taken.records.has("a"), taken.afterCrash().get("a")]).toEqual([false, "1"]);
    expect(segmentsIn(at)).toHaveLength(2);
  });

  test("[ST35] the log takes no group when it is full, until the database durably has those in a segment", async () => {
    const { log } = opened();
    await log.make();
    const payload = Buffer.alloc(200_000, 1);
    let last = 0;
    while (last < 100 && (await log.append(last + 1, payload))) last++;
    expect([last > 10, last < 100]).toEqual([true, true]);
    log.taken(1);
    expect([await log.append(last + 1, payload), log.isFilling]).toEqual([false, true]);
    log.taken(last / 2);
    expect([log.isFilling, await log.append(last + 1, payload)]).toEqual([false, true]);
    log.remove();
  });

  test("[ST32] where no log can be made the store goes on without one, and leaves no part of it", async () => {
    const { at, put, log, taken, writer } = opened();
    writeFileSync(join(at, nameOf(2)), "in the way of the second segment");
    const make = vi.spyOn(log, "make");
    for (let i = 0; i < BUSY_GROUPS; i++) await put("warm", String(i));
    expect(await make.mock.results[0]!.value).toBe(false);
    expect(segmentsIn(at)).toEqual([nameOf(2)]);
    for (let i = 0; i < 3 * BUSY_GROUPS; i++) await put("a", String(i));
    expect([make.mock.calls.length, taken.records.get("a")]).toEqual([1, String(3 * BUSY_GROUPS - 1)]);
    await writer.close();
  });

  test("[ST32] a store whose folder was deleted makes no log, and goes on", async () => {
    const at = folder();
    const log = new FrontLog(at, DATABASE, readLog(at, DATABASE, 0), () => {});
    rmSync(at, { recursive: true });
    expect(await log.make().catch(String)).toBe(false);
  });

  test("[ST32] takes no log from a disk that is nearly full", async () => {
    const { at, log, disk } = opened();
    disk.freeBytes = 1 << 20;
    expect(await log.make()).toBe(false);
    expect(segmentsIn(at)).toEqual([]);
  });
});
