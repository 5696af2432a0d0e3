import { answerJobs } from "../../work/answer-jobs.ts";
import { tasks } from "./tasks.ts";
import { outcomeMessage } from "./workers.ts";

/** The module that a worker thread runs. */
answerJobs(
  Object.fromEntries(
    Object.entries<(...args: never[]) => unknown>(tasks).map(([name, perform]) => [
      name,
      (...args: never[]) => outcomeMessage(perform(...args)),
    ]),
  ),
);
