import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeKey } from "../../src/state/key.ts";
import { LeftAnswers } from "../../src/state/left-answers.ts";
import { folderWith } from "../helpers/hostile.ts";

test("[AH15] a damaged note hides no other one", () => {
  makeKey();
  const root = folderWith();
  mkdirSync(join(root, ".spliced"));
  const left = new LeftAnswers(root);
  const answer = { name: "bot", thread: "thr_1", messageId: "msg_1", since: "2026-01-01T00:00:00.000Z" };
  left.add(answer);
  left.add({ ...answer, name: "other", messageId: "msg_2" });
  const folder = join(root, ".spliced", "answers");
  writeFileSync(join(folder, "empty.json"), "");
  writeFileSync(join(folder, "torn.json"), '{"content":{"name":"bot"');
  symlinkSync("/etc/hostname", join(folder, "link.json"));
  expect(left.of("bot")).toEqual([answer]);
  left.remove(answer);
  expect(left.of("bot")).toEqual([]);
});
