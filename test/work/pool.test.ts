import { describe, expect, onTestFinished, test } from "vitest";
import { type PoolOptions, WorkerPool } from "../../src/work/pool.ts";

const ALICE = {};
const BOB = {};

function poolOf(options: Partial<PoolOptions> = {}): WorkerPool {
  const main = new URL("./worker.js", import.meta.url);
  const pool = new WorkerPool({
    main,
    workers: 2,
    waiting: 10,
    deadlineMs: 30_000,
    restMs: 30_000,
    ...options,
  });
  onTestFinished(() => pool.close());
  return pool;
}

/** A job that occupies a thread until it is released. */
function heldJob() {
  const flag = new SharedArrayBuffer(4);
  return {
    job: { task: "held", args: [flag] },
    release() {
      const view = new Int32Array(flag);
      Atomics.store(view, 0, 1);
      Atomics.notify(view, 0);
    },
  };
}

const echo = (value: unknown) => ({ task: "echo", args: [value] });

describe("a pool of workers", () => {
  test("[BD4] returns the result of a task, and the error that it throws", async () => {
    const pool = poolOf();
    expect(await pool.run(ALICE, echo({ a: [1] }))).toEqual({ is: "done", result: { a: [1] } });
    expect(await pool.run(ALICE, { task: "fail", args: [] })).toEqual({ is: "failed", reason: "it failed" });
    expect(await pool.run(ALICE, echo(2))).toEqual({ is: "done", result: 2 });
  });

  test("[BD4] one owner's jobs never delay the start of another owner's job", async () => {
    const pool = poolOf();
    const held = [heldJob(), heldJob(), heldJob()];
    const alice = held.map(({ job }) => pool.run(ALICE, job));
    expect(await pool.run(BOB, echo("bob"))).toEqual({ is: "done", result: "bob" });
    for (const { release } of held) release();
    expect(await Promise.all(alice)).toEqual(held.map(() => ({ is: "done", result: "released" })));
  });

  test("[BD4] an owner's jobs run in their order, and too many are refused", async () => {
    const pool = poolOf({ waiting: 2 });
    const { job, release } = heldJob();
    const first = pool.run(ALICE, job);
    const order: unknown[] = [];
    const waiting = [1, 2].map((n) => pool.run(ALICE, echo(n)).then(() => order.push(n)));
    expect(await pool.run(ALICE, echo(3))).toEqual({ is: "full" });
    release();
    await Promise.all([first, ...waiting]);
    expect(order).toEqual([1, 2]);
  });

  test("[BD5] a job that takes too long is discarded with its thread, and the next job gets a new one", async () => {
    const pool = poolOf({ deadlineMs: 50 });
    expect(await pool.run(ALICE, { task: "forever", args: [] })).toEqual({ is: "late" });
    expect(await pool.run(ALICE, echo("still"))).toEqual({ is: "done", result: "still" });
  });

  test("[BD28] what a thread prints is discarded, and does not stay in memory", async () => {
    const pool = poolOf();
    const printed = pool.run(ALICE, { task: "print", args: ["x".repeat(1 << 20)] });
    expect(await printed).toEqual({ is: "done", result: "printed" });
  });

  test("[BD5] a job fails when its thread dies", async () => {
    const pool = poolOf();
    expect(await pool.run(ALICE, { task: "die", args: [] })).toEqual({
      is: "failed",
      reason: "the thread ended with exit code 3",
    });
    expect(await pool.run(ALICE, echo("still"))).toEqual({ is: "done", result: "still" });
  });

  test("[BD5] a job fails when the system cannot start a thread for it, and so does each that waits", async () => {
    const pool = poolOf({ main: new URL("http://127.0.0.1/no-thread.js"), workers: 1 });
    const ended = await Promise.all([
      pool.run(ALICE, echo(1)),
      pool.run(ALICE, echo(2)),
      pool.run(BOB, echo(3)),
    ]);
    for (const { is } of ended) expect(is).toBe("failed");
  });

  test("[BD5] jobs that wait when the pool closes, and later jobs, fail", async () => {
    const pool = poolOf({ workers: 1 });
    const jobs = [heldJob().job, echo(1)].map((job) => pool.run(ALICE, job));
    await pool.close();
    const closed = { is: "failed", reason: "the pool is closed" };
    expect(await Promise.all([...jobs, pool.run(ALICE, echo(2))])).toEqual([closed, closed, closed]);
  });
});
