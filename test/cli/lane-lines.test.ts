import { expect, test } from "vitest";
import { laneLines } from "../../src/cli/sharing/lanes.ts";

test("[LV73] the list of a lane shows its first waiting files, and the number of the others", () => {
  const why = "most files went missing at once";
  const waiting = Array.from({ length: 33 }, (_, i) => ({
    path: `${i}.md`,
    status: "blocked" as const,
    deleted: false,
    why,
  }));
  const lane = {
    name: "ann",
    folder: "/notes.lanes/ann",
    token: "owner",
    agent: "owner/ann",
    propose: false,
  };
  const rest = { created_at: "", files: 40, proposal: null, commit: null, problem: null };
  const lines = laneLines({ ...lane, ...rest, waiting });
  expect(lines).toHaveLength(1 + 20 + 1);
  expect(lines[20]).toContain("19.md");
  expect(lines[21]).toContain("13 more files");
  expect(laneLines({ ...lane, ...rest, waiting: waiting.slice(0, 20) })).toHaveLength(1 + 20);
});
