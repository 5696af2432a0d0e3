import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { answerTo, ask, makeStage, type Stage, startAgent } from "./agent-stage.ts";
import {
  hangsAfter,
  type Scene,
  type ScriptedEndpoint,
  says,
  scriptedEndpoint,
} from "./scripted-endpoint.ts";
import { until } from "./until.ts";

const LINES = Array.from({ length: 200 }, (_, n) => `line ${n + 1}`);
const TEXT = `${LINES.join("\n")}\n`;

/** Returns a patch of a line that says that the line is `off` lines above its place. */
function patchOf(
  line: number,
  off: number,
  [before, after] = [`line ${line - 1}`, `line ${line + 1}`],
): string {
  const at = line - 1 - off;
  return `@@ -${at},3 +${at},3 @@\n ${before}\n-line ${line}\n+LINE ${line}\n ${after}\n`;
}

/** What a model's tools answered to its last calls. */
const results = (asked: Parameters<Scene>[1]) =>
  asked.body.messages.filter(({ role }) => role === "tool").map(({ content }) => content!);

describe("editing by conversation, with a model that patches", () => {
  let stage: Stage;
  let endpoint: ScriptedEndpoint;
  beginShared(async () => {
    stage = await makeStage({ "long.md": TEXT, "far.md": TEXT, "doubt.md": TEXT, "held.md": TEXT });
    endpoint = await scriptedEndpoint();
    await startAgent(stage.root, ["--openai", endpoint.url, "--model", "scripted"]);
  });

  test("[AW16, PL28] the model hears of the selected text, and a patch that names another file changes nothing", async () => {
    const { person, text } = stage;
    const headed = `--- a/far.md\n+++ b/far.md\n${patchOf(7, 0)}`;
    endpoint.play(
      says({ calls: [["patch_document", { path: "long.md", patch: headed }]] }),
      says({ calls: [["patch_document", { path: "long.md", patch: patchOf(7, 0) }]] }),
      says({ text: "Done." }),
    );
    const from = TEXT.indexOf("line 7\n");
    const { thread, messageId } = await person.thread.append({
      path: "long.md",
      role: "user",
      text: "Shout this.",
      anchor: { from, to: from + "line 7".length },
    });
    const answer = await answerTo(person, thread, messageId);
    expect(JSON.stringify(endpoint.asked[0]!.body.messages)).toMatch(/about this text in long\.md: .*line 7/);
    expect(answer!.tools!.map(({ status }) => status)).toEqual(["failed", "completed"]);
    await until("the line is shouted", () => text("long.md") === TEXT.replace("line 7\n", "LINE 7\n"));
    expect(text("far.md")).toBe(TEXT);
    const { messages } = await person.thread.get({ thread });
    expect(messages[0]!.changes).toHaveLength(1);
  });

  test("[PL2, PL17] a model's patch lands 50 lines from its place, and fails 51 lines from it", async () => {
    const { person, text } = stage;
    const patch = (line: number, off: number) =>
      ["patch_document", { path: "far.md", patch: patchOf(line, off) }] as const;
    endpoint.play(says({ calls: [patch(100, 51)] }), says({ text: "Too far." }));
    const { answer, thread } = await ask(person, "Shout line 100.", { path: "far.md" });
    expect(answer!.tools!.map(({ status }) => status)).toEqual(["failed"]);
    expect(results(endpoint.asked[1]!).at(-1)).toContain("51");
    expect(text("far.md")).toBe(TEXT);
    endpoint.play(
      says({ calls: [patch(100, 50)] }),
      confirmed("far.md", patchOf(100, 50)),
      says({ text: "Done." }),
    );
    await ask(person, "Again.", { thread });
    await until("the line is shouted", () => text("far.md") === TEXT.replace("line 100\n", "LINE 100\n"));
  });

  further(
    "[PA27, PA56] a model's doubtful patch is made only with the id of the preview that it was shown",
    async () => {
      const { person, text } = stage;
      const patch = patchOf(100, 0, ["line  99", "something else"]);
      const unlike = patchOf(50, 0, ["line  49", "something else"]);
      const send = (sent: string, confirm?: string) =>
        says({ calls: [["patch_document", { path: "doubt.md", patch: sent, confirm }]] });
      const other: Scene = (response, asked) => send(unlike, confirmationIn(asked))(response, asked);
      endpoint.play(send(patch), send(patch, "ptc_unknown"), says({ text: "No." }));
      const { thread } = await ask(person, "Shout line 100.", { path: "doubt.md" });
      expect(results(endpoint.asked[1]!).at(-1)).toContain("confirm");
      expect(text("doubt.md")).toBe(TEXT);
      endpoint.play(send(patch), other, says({ text: "No." }));
      await ask(person, "Again.", { thread });
      expect(text("doubt.md")).toBe(TEXT);
      endpoint.play(send(patch), confirmed("doubt.md", patch), says({ text: "Done." }));
      await ask(person, "Again.", { thread });
      await until("the line is shouted", () => text("doubt.md") === TEXT.replace("line 100\n", "LINE 100\n"));
    },
  );

  test("[TH20, TH21] a second one who would answer hears who answers, while the agent does", async () => {
    const { daemon, person } = stage;
    endpoint.play(hangsAfter("I think"));
    const { thread, messageId } = await person.thread.append({
      path: "held.md",
      role: "user",
      text: "Think.",
    });
    await until("it answers", async () => (await person.thread.get({ thread })).draft?.text === "I think");
    const other = await daemon.connect({ name: "other" });
    const held = { code: "OVERLOADED", details: { holder: { name: "bot" } } };
    await expect(other.thread.lease({ thread })).rejects.toMatchObject(held);
    await expect(other.thread.append({ thread, role: "assistant", text: "x" })).rejects.toMatchObject(held);
    await person.thread.stop({ thread });
    expect(await answerTo(person, thread, messageId)).toMatchObject({ author: "bot", incomplete: "stopped" });
  });
});

/** Sends a patch again with the id that the last answer asked to confirm. */
function confirmed(path: string, patch: string): Scene {
  return (response, asked) =>
    says({ calls: [["patch_document", { path, patch, confirm: confirmationIn(asked) }]] })(response, asked);
}

function confirmationIn(asked: Parameters<Scene>[1]): string {
  return /confirm\W+"?(\w+_\w+|\w{8,})"?/.exec(results(asked).at(-1)!)?.[1] ?? "none";
}
