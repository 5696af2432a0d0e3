import { answerJobs } from "../../work/answer-jobs.ts";
import { tasks } from "./tasks.ts";
import { outcomeMessage } from "./workers.ts";

/** Answers the tasks that the daemon sends; a worker thread runs this module. */
answerJobs(
  Object.fromEntries(
    Object.entries<(...args: never[]) => unknown>(tasks).map(([name, perform]) => [
      name,
      (...args: never[]) => outcomeMessage(perform(...args)),
    ]),
  ),
);
