import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, type TestContext, test } from "vitest";
import { stageWith } from "../e2e/agent-stage.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { npm } from "../e2e/npm.ts";
import { type Scene, says, scriptedEndpoint } from "../e2e/scripted-endpoint.ts";
import { until } from "../e2e/until.ts";

/** The errors of npm without a connection to the registry. */
const OFFLINE = /code (ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT)/;
/** The time of a real agent for one answer, in milliseconds. */
const PATIENCE_MS = 90_000;

/** The folder in which Qwen Code is installed, or the reason why it is not. */
let installed: Folder | string;

beforeAll(async () => {
  const folder = makeFolder({ "package.json": '{ "private": true }' });
  const quick = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund", "--ignore-scripts"];
  const ran = await npm(folder.root, ["install", "@qwen-code/qwen-code", ...quick]);
  const offline = ran.code === 0 ? null : OFFLINE.exec(ran.err);
  if (ran.code !== 0 && offline === null) throw new Error(`npm install ended (${ran.code}): ${ran.err}`);
  installed = offline === null ? folder : `the registry cannot be reached (${offline[1]})`;
}, 300_000);

/** A model that reads and edits notes.md with the agent's own tools, then says so. */
function editing(root: () => string): Scene {
  return (response, asked) => {
    const results = asked.body.messages.filter(({ role }) => role === "tool").length;
    const file_path = join(root(), "notes.md");
    const steps: readonly Scene[] = [
      says({ calls: [["read_file", { file_path }]] }),
      says({ calls: [["edit", { file_path, old_string: "one", new_string: "ONE" }]] }),
      says({ text: "Shouted." }),
    ];
    steps[Math.min(results, 2)]!(response, asked);
  };
}

async function qwenAnswers(context: TestContext, allow?: string) {
  if (typeof installed === "string") return context.skip(`left out: ${installed}`);
  let root = "";
  const endpoint = await scriptedEndpoint(editing(() => root));
  const env = {
    HOME: makeFolder().root,
    OPENAI_API_KEY: "sk-scripted",
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_MODEL: "scripted",
  };
  const program = join(installed.root, "node_modules/.bin/qwen");
  const args = ["--", program, "--acp", "--auth-type", "openai"];
  const stage = await stageWith({ files: { "notes.md": "one\ntwo\n" }, args, env, allow });
  ({ root } = stage);
  const { thread } = await stage.person.thread.append({ path: "notes.md", role: "user", text: "Shout." });
  const answer = await until(
    "the agent answers",
    async () => (await stage.person.thread.get({ thread })).messages[1],
    Boolean,
    PATIENCE_MS,
  );
  return { ...stage, thread, answer: answer! };
}

describe("Qwen Code, with a scripted model", () => {
  test("[AH3] edits a document where its token may write", async (context) => {
    const { root, person, thread, answer, daemon } = await qwenAnswers(context);
    expect(answer).toMatchObject({ author: "bot", text: expect.stringContaining("Shouted.") });
    await until("the file has the edit", () => readFileSync(join(root, "notes.md"), "utf8") === "ONE\ntwo\n");
    const { messages } = await person.thread.get({ thread });
    expect(messages[0]!.changes).toHaveLength(1);
    await daemon.stop();
  });

  test("[AH7] proposes the edit where its token may only propose", async (context) => {
    const { root, person, answer, daemon } = await qwenAnswers(context, "**=propose");
    expect(answer.text).toContain("proposal");
    expect(answer.tools).toMatchObject([{ status: "failed", paths: ["notes.md"] }]);
    expect(readFileSync(join(root, "notes.md"), "utf8")).toBe("one\ntwo\n");
    const { proposals } = await person.proposal.list({ path: "notes.md", status: "pending" });
    expect(proposals).toHaveLength(1);
    expect(proposals[0]!.diff).toContain("+ONE");
    await daemon.stop();
  });
});
