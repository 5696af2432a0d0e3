// The README's first minute as a moving picture, from a real run: `npm run pictures`.
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { castOf, type Step } from "./cast.ts";
import { runOnTerminal } from "./terminal.ts";

const ROOT = join(import.meta.dirname, "../..");
const SPLICED = `node ${join(ROOT, "dist/bin/spliced.js")}`;
const COLUMNS = 92;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "spliced-")));
const workspace = join(folder, "playground");
cpSync(join(ROOT, "fixtures/workspace"), workspace, { recursive: true });

/** The typed commands; `npx spliced` is that of this clone, and a command cuts its long answer itself. */
const COMMANDS = [
  "npx spliced start",
  `npx spliced --agent claude replace notes.md "Monday" "Tuesday" -m "meeting moved"`,
  `sed -i "s/one thing/two things/" notes.md   # a save from your editor`,
  "npx spliced history notes.md -p",
  `npx spliced --agent claude propose notes.md "Tuesday" "Friday" -r "the room is taken"`,
  "npx spliced undo --by claude",
  "head -4 notes.md                            # only the agent's edit is gone",
  "npx spliced stop",
];

try {
  const steps = COMMANDS.map((command): Step => {
    const screen = runOnTerminal(command.replaceAll("npx spliced", SPLICED), workspace, COLUMNS);
    const shown = screen.map((runs) =>
      runs.map((run) => ({ ...run, text: run.text.replaceAll(folder, "~") })),
    );
    return { command, screen: shown };
  });
  writeFileSync(join(import.meta.dirname, "first-minute.svg"), castOf("spliced, the first minute", steps));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
