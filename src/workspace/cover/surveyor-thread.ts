import { WorkerPool } from "../../work/pool.ts";
import type { Surveyor } from "./surveyor.ts";
import type { SurveyedRoot } from "./surveyor-main.ts";

/** Milliseconds that one batch of folders or files may take, on a slow disk too. */
const JOB_MS = 60_000;
/** Milliseconds after which a thread without a job ends. */
const REST_MS = 10_000;
/** The most batches that wait at once; the cover sends one after the other. */
const WAITING = 16;

/** Returns a surveyor with a thread of its own, so that it delays no other work. */
export function threadSurveyor(root: SurveyedRoot): Surveyor {
  const owner = {};
  const pool = new WorkerPool({
    // The path is that of the built file: threads run JavaScript.
    main: new URL("./surveyor-main.js", import.meta.url),
    workers: 1,
    waiting: WAITING,
    deadlineMs: JOB_MS,
    restMs: REST_MS,
  });
  const run = async <T>(task: keyof Surveyor, ...args: readonly unknown[]): Promise<T> => {
    const ended = await pool.run(owner, { task, args: [root, ...args] });
    if (ended.is === "done") return ended.result as T;
    throw new Error(`the survey of files failed: ${ended.is === "failed" ? ended.reason : ended.is}`);
  };
  return {
    list: (folders) => run("list", folders),
    read: (paths, maxBytes) => run("read", paths, maxBytes),
    close: () => pool.close(),
  };
}
