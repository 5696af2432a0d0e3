import { describe, expect, test } from "vitest";
import { startDaemon } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { makeFolder } from "./folder.ts";
import { inTerminal, openTerminal, type Terminal } from "./terminal.ts";
import { until } from "./until.ts";

const START = "Monday 0\nTuesday 0\nlast line\n";
const ROUNDS = 3;

/** nano without anybody's settings. */
const nano = (cwd: string, file: string, flags: readonly string[] = []) =>
  openTerminal(cwd, ["nano", "--ignorercfiles", ...flags, file]);

/** Types a line at the end; nano ends it itself. */
function typeLine(terminal: Terminal, line: string): void {
  terminal.press("M-/");
  terminal.type(line);
}

async function quit(terminal: Terminal): Promise<void> {
  terminal.press("C-x");
  await terminal.ends();
}

describe.runIf(inTerminal("nano"))("a real nano", () => {
  for (const flags of [[], ["--backup"], ["--locking"]])
    test(`[EE30] nano ${flags.join()} saves in the moment of an agent's edit, again and again: both are there`, async () => {
      const folder = makeFolder({ "notes.md": START });
      const daemon = await startDaemon(folder.root);
      const client = await daemon.connect();
      const replace = (old: string, now: string) =>
        client.request("edit.replace", { path: "notes.md", old, new: now });
      let typed = "";
      for (let i = 0; i < ROUNDS; i++) {
        await replace(`Monday ${i}`, `Monday ${i + 1}`);
        const terminal = nano(folder.root, "notes.md", flags);
        await terminal.shows(`Monday ${i + 1}`);
        typeLine(terminal, `nano ${i}`);
        typed += `nano ${i}\n`;
        const edit = await whileStopped(daemon.pid, async () => {
          const answer = replace(`Tuesday ${i}`, `Tuesday ${i + 1}`);
          terminal.press("C-s");
          await terminal.shows("Wrote ");
          return { answer };
        });
        await edit.answer;
        await quit(terminal);
        const both = `Monday ${i + 1}\nTuesday ${i + 1}\nlast line\n${typed}`;
        await until(
          "both are in the file",
          () => folder.read("notes.md"),
          (text) => text === both,
        );
        expect((await client.request("doc.read", { path: "notes.md" })).text).toBe(both);
      }
    });

  test("[EE30] nano warns that an agent edited the file, and who heeds it loses nothing", async () => {
    const folder = makeFolder({ "notes.md": START });
    const client = await (await startDaemon(folder.root)).connect();
    const first = nano(folder.root, "notes.md");
    await first.shows("last line");
    await client.request("edit.replace", { path: "notes.md", old: "Monday 0", new: "Monday 1" });
    typeLine(first, "typed");
    first.press("C-s");
    await first.shows("File on disk has changed");
    first.type("n");
    first.press("C-x");
    await first.shows("Save modified buffer?");
    first.type("n");
    await first.ends();
    const second = nano(folder.root, "notes.md");
    await second.shows("Monday 1");
    typeLine(second, "typed");
    second.press("C-s");
    await second.shows("Wrote ");
    await until(
      "it is in memory",
      async () =>
        (await client.request("doc.read", { path: "notes.md" })).text ===
        "Monday 1\nTuesday 0\nlast line\ntyped\n",
    );
    expect(folder.read("notes.md")).toBe("Monday 1\nTuesday 0\nlast line\ntyped\n");
  });

  test("[EE30] nano saves over an agent's edit that it never saw: both are there", async () => {
    const folder = makeFolder({ "notes.md": START });
    const client = await (await startDaemon(folder.root)).connect();
    const terminal = nano(folder.root, "notes.md");
    await terminal.shows("last line");
    await client.request("edit.replace", { path: "notes.md", old: "Monday 0", new: "Monday 1" });
    typeLine(terminal, "typed");
    terminal.press("C-s");
    await terminal.shows("File on disk has changed");
    terminal.type("y");
    await terminal.shows("Wrote ");
    const both = "Monday 1\nTuesday 0\nlast line\ntyped\n";
    await until(
      "both are in the file",
      () => folder.read("notes.md"),
      (text) => text === both,
    );
  });
});
