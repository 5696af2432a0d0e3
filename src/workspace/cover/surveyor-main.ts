import { IgnoreFiles } from "../../mirror/ignore-files.ts";
import { openReader } from "../../mirror/reader.ts";
import { IgnoreRules, type OuterRules } from "../../paths/ignore-rules.ts";
import { answerJobs } from "../../work/answer-jobs.ts";
import { type Surveyor, surveyorOf } from "./surveyor.ts";

/** The folder that a thread surveys; the thread opens it with its first job. */
export interface SurveyedRoot {
  readonly root: string;
  readonly outer: OuterRules;
}

let surveyor: Surveyor | undefined;

function open({ root, outer }: SurveyedRoot): Surveyor {
  surveyor ??= surveyorOf(openReader(root), new IgnoreRules(outer, new IgnoreFiles(root).read));
  return surveyor;
}

/** Answers the jobs of a surveyor; a worker thread runs this module. */
answerJobs({
  list: (root: SurveyedRoot, ...args: Parameters<Surveyor["list"]>) => open(root).list(...args),
  read: (root: SurveyedRoot, ...args: Parameters<Surveyor["read"]>) => open(root).read(...args),
});
