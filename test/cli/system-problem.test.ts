import { expect, test } from "vitest";
import { systemProblem } from "../../src/cli/terminal/system-problem.ts";

const problem = (code: string) =>
  Object.assign(new Error(`${code}: raw, mkdir '/work'`), { code, syscall: "mkdir", path: "/work" });

test("[TM45] an error of the system says what the system refused, and where", () => {
  expect(systemProblem(problem("EACCES"))).toMatchObject({
    exitCode: 1,
    message: "/work: the system does not allow it to your user (EACCES)",
    hint: "check the folder with: spliced doctor <folder>",
  });
  expect(systemProblem(problem("EROFS")).message).toBe("/work: the file system is read-only (EROFS)");
  expect(systemProblem(problem("ENOSPC")).message).toBe("/work: the disk has no space left (ENOSPC)");
  const writing = Object.assign(new Error("ENOSPC: raw, write"), { code: "ENOSPC", syscall: "write" });
  expect(systemProblem(writing).message).toBe("the disk has no space left (ENOSPC)");
});

test("[TM45] any other error of the system keeps its own message", () => {
  expect(systemProblem(problem("EIO"))).toMatchObject({
    message: "EIO: raw, mkdir '/work'",
    hint: undefined,
  });
  const listening = Object.assign(new Error("listen EACCES"), { code: "EACCES", syscall: "listen" });
  expect(systemProblem(listening)).toMatchObject({ message: "listen EACCES", hint: undefined });
});
