import { IgnoreFiles } from "../../mirror/disk/ignore-files.ts";
import { type FileReader, openReader } from "../../mirror/disk/reader.ts";
import { IgnoreRules } from "../../paths/ignore-rules.ts";
import type { OuterRules } from "../../paths/outer-rules.ts";
import { answerJobs } from "../../work/answer-jobs.ts";
import { type SearchJob, searchFiles } from "../search/search-files.ts";
import { type Surveyor, surveyorOf } from "./surveyor.ts";

/** The folder that a thread surveys; the thread opens it with its first job. */
export interface SurveyedRoot {
  readonly root: string;
  readonly outer: OuterRules;
}

let reader: FileReader | undefined;
let surveyor: Surveyor | undefined;

function open({ root, outer }: SurveyedRoot): Surveyor {
  surveyor ??= surveyorOf(readerOf(root), new IgnoreRules(outer, new IgnoreFiles(root).read));
  return surveyor;
}

function readerOf(root: string): FileReader {
  reader ??= openReader(root);
  return reader;
}

/** Answers the jobs of a surveyor; a worker thread runs this module. */
answerJobs({
  list: (root: SurveyedRoot, ...args: Parameters<Surveyor["list"]>) => open(root).list(...args),
  read: (root: SurveyedRoot, ...args: Parameters<Surveyor["read"]>) => open(root).read(...args),
  search: ({ root }: SurveyedRoot, job: SearchJob) => searchFiles(readerOf(root), job),
});
