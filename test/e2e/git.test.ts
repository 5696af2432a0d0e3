import { execFileSync } from "node:child_process";
import { beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { crowd } from "./crowd.ts";
import type { ServedFolder } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { NOTHING_AMISS } from "./ledger.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const PATH = "numbers.md";
/** Lines so far apart that git makes a hunk of each changed line. */
const BASE = ["one", "two", "three", "four", "five", "six", "seven"].map((word) => `${word}:\n\n\n`).join("");
const SETTINGS = ["user.name=t", "user.email=t@t", "init.defaultBranch=main", "gc.auto=0"];

let folder: Folder;
let daemon: ServedFolder;
let client: Client;

function git(...args: string[]): string {
  return execFileSync("git", [...SETTINGS.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: folder.root,
    stdio: "pipe",
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
}

/** Returns the file with a line that names the author of its change. */
const by = (who: string, text: string, word: string) => text.replace(`${word}:`, `${word}: by ${who}`);
const agentEdits = (word: string) =>
  client.request("edit.replace", { path: PATH, old: `${word}:`, new: `${word}: by an agent` });
const textOf = async (path: string) => (await client.request("doc.read", { path })).text;

/** Checks that file and memory have these bytes, and still agree after an agent's edit. */
async function follows(text: string): Promise<void> {
  expect(folder.read(PATH)).toBe(text);
  expect(await textOf(PATH)).toBe(text);
  await client.request("edit.append", { path: PATH, text: "an agent goes on\n" });
  expect(folder.read(PATH)).toBe(`${text}an agent goes on\n`);
}

// On `main` somebody changed the last line, on `topic` three others, in three commits.
beginShared(async () => {
  folder = makeFolder({ [PATH]: BASE });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "base");
  git("checkout", "-qb", "topic");
  for (const word of ["one", "three", "five"]) {
    folder.write(PATH, by("topic", folder.read(PATH), word));
    git("commit", "-qam", word);
  }
  git("checkout", "-q", "main");
  folder.write(PATH, by("main", BASE, "seven"));
  git("commit", "-qam", "seven");
  git("tag", "start");
  daemon = await serveFolder(folder.root);
  client = await daemon.connect();
});

beforeEach(() => {
  git("checkout", "-qf", "-B", "main", "start");
});

describe("git over a file that agents edit", () => {
  test("[EE33] checkout -f takes back what agents did, byte for byte, and the daemon follows", async () => {
    await agentEdits("two");
    expect(git("status", "--porcelain")).toBe(` M ${PATH}\n`);
    git("checkout", "-qf", "topic");
    expect(git("status", "--porcelain")).toBe("");
    await follows(git("show", `topic:${PATH}`));
  });

  test("[EE56] an edit made in the moment of a checkout is in what git made, and nothing else is", async () => {
    await agentEdits("two");
    const edit = await whileStopped(daemon.pid, () => {
      const answer = agentEdits("six");
      git("checkout", "-qf", "topic");
      return { answer };
    });
    await edit.answer;
    await follows(by("an agent", git("show", `topic:${PATH}`), "six"));
  });

  further(
    "[EE33] stash takes away what agents did and, over what they did since, brings it back",
    async () => {
      await agentEdits("two");
      git("stash", "-q");
      expect(folder.read(PATH)).toBe(git("show", `main:${PATH}`));
      expect(await textOf(PATH)).toBe(git("show", `main:${PATH}`));
      await agentEdits("five");
      git("commit", "-qam", "five");
      git("stash", "pop", "-q");
      await follows(by("an agent", git("show", `HEAD:${PATH}`), "two"));
    },
  );

  test("[EE33] rebase runs through its versions, an edit put aside, while agents edit another file", async () => {
    folder.write("untracked.md", BASE);
    const agents = await crowd(daemon, "untracked.md", ["one:", "four:", "seven:"], seeded(chosenSeed(1)));
    await agentEdits("two");
    git("commit", "-qam", "two");
    await agentEdits("six");
    await agents.more(4);
    git("rebase", "-q", "--autostash", "topic");
    await agents.more(4);
    const topic = ["one", "three", "five"].reduce((text, word) => by("topic", text, word), BASE);
    const agent = ["two", "six"].reduce((text, word) => by("an agent", text, word), topic);
    await follows(by("main", agent, "seven"));
    await agents.stop();
    expect(agents.ledger.audit(await textOf("untracked.md"))).toEqual(NOTHING_AMISS);
  });

  test("[EE33] what git writes in a repository inside the folder, such as a submodule, stays, too", async () => {
    const inner = "inner/notes.md";
    folder.write(inner, "hi\n");
    const within = (...args: string[]) => git("-C", "inner", ...args);
    within("init", "-q");
    within("add", ".");
    within("commit", "-qm", "first");
    folder.write(inner, "hi\nmore\n");
    within("commit", "-qam", "second");
    await client.request("edit.append", { path: inner, text: "by an agent\n" });
    within("checkout", "-qf", "HEAD~1");
    const { text } = await client.request("doc.read", { path: inner });
    expect(text).toBe("hi\n");
    expect(folder.read(inner)).toBe("hi\n");
    expect(within("status", "--porcelain")).toBe("");
    const committed = await client.request("doc.committed", { path: inner });
    expect(committed).toMatchObject({ commit: within("rev-parse", "HEAD").trim(), text: "hi\n" });
  });

  test("[EE33] branches switched to and fro while agents edit: what they have there stands in git's text", async () => {
    const agents = await crowd(daemon, PATH, ["two:", "four:", "six:"], seeded(chosenSeed(2)));
    for (let i = 0; i < 12; i++) {
      await agents.more(4);
      git("checkout", "-qf", i % 2 === 0 ? "topic" : "main");
    }
    await agents.more(4);
    await agents.stop();
    const text = await textOf(PATH);
    expect(text.replaceAll(/ «\w+:\d+»/g, "")).toBe(git("show", `main:${PATH}`));
    expect(agents.ledger.audit(text).doubled).toEqual([]);
    await until(
      "the file holds what memory does",
      () => folder.read(PATH),
      (seen) => seen === text,
    );
    await follows(text);
  });
});
