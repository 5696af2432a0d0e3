import { symlinkSync } from "node:fs";
import { MessageType } from "loro-protocol";
import { describe, expect, test } from "vitest";
import { ignoredRefusal } from "../../src/workspace/outcome/refusals.ts";
import { Bench, DiskBench } from "../workspace/harness.ts";
import { LoroTalk } from "./loro-talk.ts";
import { PROBES } from "./probes.ts";
import { greeted, type Message, Talk } from "./talk.ts";

const RULES = "# left out\n/out/\n*.log\n";
const DETAILS = { rule: "/out/", file: ".gitignore", line: 2 };
/** Methods that only end what a connection has, and may name any path. */
const ENDING = new Set(["unsubscribe", "doc.close", "presence.set"]);
/** Methods of which some requests name the path in another place of the answer. */
const NAMING = Object.entries(PROBES).filter(
  ([method, { at, within }]) => (at ?? within) && !ENDING.has(method),
);

interface Refused {
  readonly code?: string;
  readonly details?: object;
}

/** Returns the refusals of an answer; a batch has them in its result, and its preview in the details. */
function refusals({ result, error }: Message): readonly Refused[] {
  const { errors } = (error?.data.details ?? result ?? {}) as { errors?: Refused[] };
  return errors ?? (error === undefined ? [] : [error.data]);
}

async function docs(talk: Talk): Promise<string[]> {
  const { docs } = (await talk.ask("doc.list")).result as { docs: { path: string }[] };
  return docs.map(({ path }) => path);
}

describe("an ignored path", () => {
  for (const role of ["person", "agent"] as const)
    test(`[IG5] is refused to a ${role} by every method that names it, with rule, file and line`, async () => {
      const bench = new DiskBench({ ".gitignore": RULES, "out/a.md": "SECRET\n", "docs/open.md": "open\n" });
      symlinkSync("../out/a.md", bench.path("docs/link.md"));
      const talk = new Talk(bench);
      await talk.hello({ role });
      for (const path of ["out/a.md", "docs/link.md"])
        for (const [method, { at, within }] of NAMING)
          for (const params of [
            ...(at?.(path) ?? []),
            ...(path === "out/a.md" ? (within?.(path) ?? []) : []),
          ]) {
            if (path === "docs/link.md" && MAKING.has(method)) continue;
            const told = refusals(await talk.ask(method, params));
            expect([method, params, told]).toEqual([
              method,
              params,
              expect.arrayContaining([
                expect.objectContaining({ code: "IGNORED", details: expect.objectContaining(DETAILS) }),
              ]),
            ]);
          }
      expect(bench.read("out/a.md")).toBe("SECRET\n");
      expect(JSON.stringify(talk.sent)).not.toContain("SECRET\\n");
    });

  test("[IG5] is refused with a message that names the rule and a remedy", async () => {
    const talk = await greeted({ ".gitignore": RULES, "a.log": "" });
    const { error } = await talk.ask("doc.open", { path: "a.log" });
    expect(error?.message).toBe('a.log is no document: the rule "*.log" (.gitignore, line 3) leaves it out');
    expect(error?.data.suggestion).toContain(".splicedignore");
    expect(error?.code).toBe(-32020);
  });

  test("[IG14] is refused by the setting ignore with its name, without a line, and without a file of patterns as a remedy", () => {
    const rule = { rule: "**/dist", file: "daemon.config.ts", line: 2, by: "setting" } as const;
    const { message, suggestion } = ignoredRefusal("dist/a.md", rule);
    expect(message).toBe(
      'dist/a.md is no document: the glob "**/dist" of the setting `ignore` leaves it out',
    );
    expect(suggestion).toMatch(/^A person may .*`ignore` .*daemon\.config\.ts\. No file of patterns /);
    const other = ignoredRefusal("a.log", { rule: "*.log", file: ".gitignore", line: 3 });
    expect(other.suggestion).toMatch(/ a line that begins with !\.$/);
  });

  test("[IG5] is refused in a Loro room", async () => {
    const bench = new Bench({ ".gitignore": RULES, "a.log": "" });
    const loro = new LoroTalk(bench);
    const refused = await loro.next(MessageType.JoinError, () => loro.ask("a.log"));
    expect(refused).toMatchObject({ appCode: "IGNORED", message: expect.stringContaining('"*.log"') });
  });

  test("[IG6] is in no list, and no subscription by glob opens it", async () => {
    const talk = await greeted({ ".gitignore": RULES, "a.md": "a", "out/b.md": "b", "c.log": "c" });
    expect(await docs(talk)).toEqual([".gitignore", "a.md"]);
    expect((await talk.ask("subscribe", { pattern: "**" })).result).toEqual({ matched: 2 });
  });

  test("[IG8] counts from the next request on, and is taken back with it", async () => {
    const talk = await greeted({ "a.md": "a" });
    const opened = async () => (await talk.ask("doc.open", { path: "a.md" })).error?.data.code;
    expect(await opened()).toBeUndefined();
    talk.bench.write(".gitignore", "*.md");
    expect(await opened()).toBe("IGNORED");
    talk.bench.write(".splicedignore", "!a.md");
    expect(await opened()).toBeUndefined();
    talk.bench.remove(".splicedignore");
    expect(await opened()).toBe("IGNORED");
  });

  test("[IG7] leaves memory with its history, which goes on when the path is taken back", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const made = (await talk.ask("edit.append", { path: "a.md", text: "two\n" })).result?.["changeId"];
    await talk.ask("subscribe", { path: "a.md" });
    const { docId } = (await talk.ask("doc.open", { path: "a.md" })).result as { docId: string };
    talk.bench.write(".gitignore", "a.md");
    await talk.bench.workspace.verify();
    await expect.poll(() => [...talk.bench.workspace.loaded]).toEqual([]);
    expect(talk.told("doc.deleted")).toMatchObject([{ params: { path: "a.md" } }]);
    expect((await talk.ask("history.list")).result?.["changes"]).toEqual([]);
    expect((await talk.ask("doc.status", { docId })).error?.data.code).toBe("IGNORED");
    expect((await talk.ask("undo", { changeId: made })).error?.data.code).toBe("IGNORED");
    expect((await talk.ask("change.get", { changeId: made })).error?.data.code).toBe("IGNORED");
    talk.bench.write(".gitignore", "");
    expect((await talk.ask("history.list", { path: "a.md" })).result?.["changes"]).toMatchObject([
      { changeId: made },
      { author: "disk" },
    ]);
  });

  test("[IG7, UN6] is not left out of its batch's undo: the batch is refused whole", async () => {
    const talk = await greeted({ "a.md": "a\n", "b.md": "b\n" });
    const { result } = await talk.ask("batch.apply", { files: ["a.md", "b.md"].map(rewritten) });
    const { batchId } = (result as { result: { batchId: string } }).result;
    talk.bench.write(".gitignore", "b.md");
    expect((await talk.ask("undo", { batchId })).error?.data.code).toBe("IGNORED");
    expect(talk.bench.read("a.md")).toBe("x\n");
  });

  test("[IG7] has no proposal that anybody sees or approves", async () => {
    const talk = await greeted({ "a.md": "a\n" });
    const wish = { path: "a.md", operation: "append", proposed_value: "x" };
    const id = (await talk.ask("proposal.create", wish)).result?.["id"];
    talk.bench.write(".gitignore", "a.md");
    for (const method of ["proposal.get", "proposal.approve", "proposal.reject"])
      expect((await talk.ask(method, { id })).error?.data.code).toBe("IGNORED");
    expect((await talk.ask("proposal.list")).result?.["proposals"]).toEqual([]);
  });
});

/** Methods that make something at the path itself, where a link stands. */
const MAKING = new Set(["doc.create", "doc.rename"]);

function rewritten(docPath: string): object {
  return { docPath, originalSha256: SHA256[docPath], text: "x\n" };
}

const SHA256: Readonly<Record<string, string>> = {
  "a.md": "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7",
  "b.md": "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f",
};
