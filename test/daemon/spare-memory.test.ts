import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ProcessMemory, spareMemory, thisProcess } from "../../src/daemon/process/spare-memory.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

const MB = 1 << 20;

describe("[MY1] a daemon", () => {
  test("that has grown by 24 MB releases memory at the next look", async () => {
    const { memory, look } = watched();
    memory.bytes += 24 * MB;
    await look();
    expect(memory.releases).toBe(1);
  });

  test("that has grown by less releases nothing", async () => {
    const { memory, look } = watched();
    memory.bytes += 23 * MB;
    await look();
    expect(memory.releases).toBe(0);
  });

  test("that is busy releases nothing until it is idle", async () => {
    const { memory, look } = watched();
    memory.bytes += 100 * MB;
    memory.worked += 600;
    await look();
    expect(memory.releases).toBe(0);
    await look();
    expect(memory.releases).toBe(1);
  });

  test("counts its growth from its smallest size", async () => {
    const { memory, look } = watched();
    memory.bytes -= 60 * MB;
    await look();
    memory.bytes += 30 * MB;
    await look();
    expect(memory.releases).toBe(1);
  });

  test("[MY4] that a hundred documents left releases memory, once for them", async () => {
    const { memory, look } = watched();
    memory.loaded = 150;
    await look();
    memory.loaded = 51;
    await look();
    expect(memory.releases).toBe(0);
    memory.loaded = 50;
    await look();
    await look();
    expect(memory.releases).toBe(1);
  });

  test("looks no more once it ends", async () => {
    const { memory, look, end } = watched();
    memory.bytes += 100 * MB;
    end.abort();
    await look();
    expect(memory.releases).toBe(0);
  });
});

test("[MY6] without a free descriptor the size of the process is the one that was read last", async () => {
  const { size } = thisProcess(() => 0);
  const before = size();
  expect(before).toBeGreaterThan(MB);
  const rss = vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => {
    throw Object.assign(new Error("too many open files, uv_resident_set_memory"), { code: "EMFILE" });
  });
  onTestFinished(() => rss.mockRestore());
  expect(size()).toBe(before);
  const clock = new FakeClock();
  const end = new AbortController();
  const sparing = spareMemory(
    clock,
    end.signal,
    thisProcess(() => 0),
  );
  await clock.advance(5_000);
  end.abort();
  await sparing;
});

test("[MY1] a release collects what nobody uses", async () => {
  const { release } = thisProcess(() => 0);
  const unused = garbage();
  await setImmediate();
  expect(unused.deref() === undefined).toBe(false);
  await setImmediate();
  release();
  await setImmediate();
  expect(unused.deref() === undefined).toBe(true);
});

function garbage(): WeakRef<object> {
  return new WeakRef({ bytes: Buffer.alloc(1 * MB) });
}

class FakeMemory implements ProcessMemory {
  bytes = 200 * MB;
  worked = 0;
  releases = 0;
  loaded = 0;
  size = () => this.bytes;
  busy = () => this.worked;
  release = () => {
    this.releases++;
  };
  documents = () => this.loaded;
}

/** Runs `spareMemory` on a process that does nothing by itself. */
function watched() {
  const clock = new FakeClock();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const memory = new FakeMemory();
  void spareMemory(clock, end.signal, memory);
  return { memory, end, look: () => clock.advance(5_000) };
}
