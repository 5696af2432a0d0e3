import { join } from "node:path";
import { folderBytes } from "../../mirror/disk/stat.ts";
import { type EndedJob, WorkerPool } from "../../work/pool.ts";
import { Refusal } from "../outcome/refusal.ts";
import type { KnownFolder, SurveyedFile, Surveyor } from "./surveyor.ts";
import type { SurveyedRoot } from "./surveyor-main.ts";

/** The time limit of one batch of folders or files, also for a slow disk; milliseconds. */
const JOB_MS = 60_000;
/** The time after which a thread without a job ends; milliseconds. */
const REST_MS = 10_000;
/** The most batches of one owner that wait at once; the cover, and each search, sends one after the other. */
const WAITING = 16;
/** One owner never occupies all threads, so searches do not wait for the cover, nor the cover for searches. */
const THREADS = 2;
/** Few objects outlive the file or the folder that a thread works on. */
const NEW_OBJECTS_MB = 6;

/** The most folders of one job that `here` lists, because starting a thread takes longer. */
const FEW_FOLDERS = 8;
/** The size of a folder itself, as the system counts it: room for some hundred names in every usual file system. */
const SMALL_FOLDER_BYTES = 16 << 10;
/** The most files of one job, and the most bytes of each, that `here` reads. */
const FEW_FILES = 32;
const SMALL_BYTES = 64 << 10;

/**
 * Returns a surveyor with threads of its own, so that it delays no other work. `here` works in this thread and gets the
 * small jobs. A small workspace therefore needs no other thread.
 */
export function threadSurveyor(root: SurveyedRoot, here: Surveyor): Surveyor {
  const cover = {};
  const pool = new WorkerPool({
    // The path is that of the built file: threads run JavaScript.
    main: new URL("./surveyor-main.js", import.meta.url),
    workers: THREADS,
    waiting: WAITING,
    deadlineMs: JOB_MS,
    restMs: REST_MS,
    newObjectsMb: NEW_OBJECTS_MB,
  });
  const run = async <T>(task: keyof Surveyor, ...args: readonly unknown[]): Promise<T> =>
    resultOf(await pool.run(cover, { task, args: [root, ...args] }));
  const isSmall = ({ folder }: KnownFolder) => folderBytes(join(root.root, folder)) <= SMALL_FOLDER_BYTES;
  return {
    list: (folders, maxBytes) =>
      folders.length <= FEW_FOLDERS && folders.every(isSmall)
        ? here.list(folders, maxBytes)
        : run("list", folders, maxBytes),
    async read(paths, maxBytes) {
      if (paths.length > FEW_FILES) return run("read", paths, maxBytes);
      const read = await here.read(paths, Math.min(maxBytes, SMALL_BYTES));
      const large = read.filter(isTooLarge).map(({ path }) => path);
      if (large.length === 0 || maxBytes <= SMALL_BYTES) return read;
      const largeRead = await run<readonly SurveyedFile[]>("read", large, maxBytes);
      return [...read.filter((file) => !isTooLarge(file)), ...largeRead];
    },
    async search(owner, job) {
      const ended = await pool.run(owner, { task: "search", args: [root, job] });
      return ended.is === "full" ? TOO_MANY : resultOf(ended);
    },
    close: () => pool.close(),
  };
}

function isTooLarge(file: SurveyedFile): boolean {
  return file.is === "unread" && file.problem.kind === "too_large";
}

/** @throws when the thread failed */
function resultOf<T>(ended: EndedJob): T {
  if (ended.is === "done") return ended.result as T;
  throw new Error(`the survey of files failed: ${ended.is === "failed" ? ended.reason : ended.is}`);
}

const TOO_MANY = new Refusal("OVERLOADED", `${WAITING} searches of this token are already waiting`, {
  suggestion: "Wait for their answers, then search again.",
  details: { limit: WAITING },
});
