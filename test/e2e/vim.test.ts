import { spawn, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { within } from "./until.ts";

const installed = spawnSync("vim", ["--version"]).status === 0;
if (!installed) console.warn("vim is not installed: its tests are left out");

/** Runs a script in a real vim on a file, to its end. */
function vim(cwd: string, file: string, script: readonly string[]): Promise<number | null> {
  const commands = ["set noswapfile nomore autoread", ...script, "quitall!"].flatMap((line) => ["-c", line]);
  const child = spawn("vim", ["-es", "-u", "NONE", "-i", "NONE", ...commands, file], {
    cwd,
    stdio: "ignore",
  });
  atEnd(() => child.kill("SIGKILL"));
  return within("vim ends", new Promise((done) => child.once("close", done)));
}

const ROUNDS = 4;
/** Takes in what others saved, as autoread does, then adds a line of its own and saves; so often. */
const TYPING = `for i in range(${ROUNDS}) | checktime | call append('$', 'vim ' . i) | write | sleep 150m | endfor`;

describe.runIf(installed)("a real vim", () => {
  for (const recipe of ["no", "yes"])
    test(`[EE21] saving with backupcopy=${recipe} while agents replace: both are in the file`, async () => {
      const folder = makeFolder({ "notes.md": "hello Monday 0\n" });
      await startDaemon(folder.root);
      const typed = vim(folder.root, "notes.md", [`set backupcopy=${recipe}`, TYPING]);
      for (let i = 0; i < ROUNDS; i++)
        expect(
          await cli(folder.root, ["replace", "notes.md", `Monday ${i}`, `Monday ${i + 1}`]),
        ).toMatchObject({ code: 0 });
      expect(await typed).toBe(0);
      const lines = Array.from({ length: ROUNDS }, (_, i) => `vim ${i}\n`).join("");
      expect((await cli(folder.root, ["cat", "notes.md"])).out).toBe(`hello Monday ${ROUNDS}\n${lines}`);
      expect(folder.read("notes.md")).toBe(`hello Monday ${ROUNDS}\n${lines}`);
    });

  test("[EE21] what agents did is there when vim reads the file again, and vim's undo is an edit like another", async () => {
    const folder = makeFolder({ "notes.md": "one\ntwo\n" });
    const client = await (await startDaemon(folder.root)).connect();
    await client.request("edit.append", { path: "notes.md", text: "agent\n" });
    const script = ["call append(0, 'typed')", "write", "undo", "call setline(1, 'ONE')", "write"];
    expect(await vim(folder.root, "notes.md", script)).toBe(0);
    expect((await client.request("doc.read", { path: "notes.md" })).text).toBe("ONE\ntwo\nagent\n");
    expect(folder.read("notes.md")).toBe("ONE\ntwo\nagent\n");
  });
});
