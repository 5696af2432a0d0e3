import { describe, expect, test } from "vitest";
import { Rights } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

const FILES = { "a.md": "a\n", "b.md": "b\n" };
const REUSED = { code: "INVALID_ARGUMENT" };

describe("an opId that a client uses for two requests", () => {
  const others: [what: string, method: string, params: object][] = [
    ["another document", "edit.append", { path: "b.md", text: "1\n" }],
    ["another text", "edit.append", { path: "a.md", text: "2\n" }],
    ["another kind of edit", "edit.replace", { path: "a.md", old: "a", new: "A" }],
    ["an undo", "undo", {}],
    ["a batch", "batch.apply", { files: [{ docPath: "b.md", text: "new\n", version: "latest" }] }],
  ];
  test.each(others)(
    "[ED20] is refused for %s, also after a restart, and nothing changes",
    async (_, method, params) => {
      const talk = await greeted(FILES);
      const first = { path: "a.md", text: "1\n", opId: "1" };
      const { result } = await talk.ask("edit.append", first);
      const refused = async (client: Talk) => {
        const answer = await client.ask(method, { ...params, opId: "1" });
        const { errors } = (answer.result ?? {}) as { errors?: object[] };
        expect(errors?.[0] ?? answer.error?.data).toMatchObject(REUSED);
      };
      await refused(talk);
      await talk.bench.restart();
      const again = await talk.again();
      await refused(again);
      expect((await again.ask("edit.append", first)).result).toMatchObject({ changeId: result!["changeId"] });
      expect([talk.bench.read("a.md"), talk.bench.read("b.md")]).toEqual(["a\n1\n", "b\n"]);
    },
  );

  test("[ED20] gets the first answer where only the base, the message or the wait differs", async () => {
    const talk = await greeted(FILES);
    const edit = { path: "a.md", text: "1\n", opId: "1" };
    const { result } = await talk.ask("edit.append", edit);
    const again = { ...edit, version: result!["version"], ack: "durable", message: "once more" };
    expect((await talk.ask("edit.append", again)).result).toMatchObject({ changeId: result!["changeId"] });
  });

  test("[ED20] gets the first answer of a batch whose files name other bases", async () => {
    const talk = await greeted(FILES);
    const files = (base: object) => ({ files: [{ docPath: "b.md", text: "x\n", ...base }], opId: "5" });
    const { result } = await talk.ask("batch.apply", files({ version: "latest" }));
    const { version } = (await talk.ask("doc.read", { path: "b.md" })).result!;
    expect((await talk.ask("batch.apply", files({ version }))).result).toEqual(result);
  });

  test("[ED20] is refused for another batch and for another proposal", async () => {
    const talk = await greeted(FILES);
    const batch = (text: string) => ({ files: [{ docPath: "b.md", text, version: "latest" }], opId: "2" });
    expect((await talk.ask("batch.apply", batch("x\n"))).result).toMatchObject({ successful: true });
    expect((await talk.ask("batch.apply", batch("x\n"))).result).toMatchObject({ successful: true });
    expect((await talk.ask("batch.apply", batch("y\n"))).result).toMatchObject({ errors: [REUSED] });
    const proposal = (text: string) => ({
      path: "a.md",
      operation: "append",
      proposed_value: text,
      opId: "3",
    });
    const { result } = await talk.ask("proposal.create", proposal("x\n"));
    expect((await talk.ask("proposal.create", proposal("x\n"))).result).toMatchObject({ id: result!["id"] });
    expect((await talk.ask("proposal.create", proposal("y\n"))).error?.data).toMatchObject(REUSED);
  });

  test("[ED20] is refused for an edit that would become another proposal", async () => {
    const guest = { name: "guest", rights: new Rights([{ glob: "**", level: "propose" }]) };
    const talk = new Talk(new Bench(FILES), guest);
    await talk.hello();
    const edit = (text: string) => ({ path: "a.md", text, opId: "4" });
    const { result } = await talk.ask("edit.append", edit("x\n"));
    expect((await talk.ask("edit.append", edit("x\n"))).result).toMatchObject({
      proposal: result!["proposal"],
    });
    expect((await talk.ask("edit.append", edit("y\n"))).error?.data).toMatchObject(REUSED);
  });
});
