import { parentPort } from "node:worker_threads";
import { traceSources } from "../stack-traces.ts";
import type { PoolJob, Reply } from "./pool.ts";
import { READY } from "./thread.ts";

/** Runs the jobs of a pool in this thread, one after the other, with its own tasks. */
export function answerJobs(tasks: Readonly<Record<string, (...args: never[]) => unknown>>): void {
  traceSources();
  const port = parentPort;
  if (port === null) throw new Error("this module must run in a thread of a worker pool");
  port.on("message", async ({ task, args }: PoolJob) => {
    const perform = tasks[task] as (...args: unknown[]) => unknown;
    let reply: Reply;
    try {
      reply = { result: await perform(...args) };
    } catch (error) {
      reply = { thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    port.postMessage(reply);
  });
  port.postMessage(READY);
}
