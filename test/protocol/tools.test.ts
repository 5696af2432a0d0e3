import { createHash } from "node:crypto";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { perform } from "../../src/protocol/handlers/handlers.ts";
import { EXAMPLES } from "../../src/protocol/reference/examples.ts";
import { openRpc } from "../../src/protocol/reference/openrpc.ts";
import { type Method, methods, type Result } from "../../src/protocol/schemas/schemas.ts";
import { Traffic } from "../../src/protocol/service/traffic.ts";
import { eolOf } from "../../src/text/lines.ts";
import { Text } from "../../src/text/text.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { REFUSAL_CODES } from "../../src/workspace/outcome/refusal.ts";
import { planPatch } from "../../src/workspace/planners/patch.ts";
import { ALICE, accepted } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

interface Described {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Discovered {
  readonly openrpc: string;
  readonly info: object;
  readonly methods: readonly {
    readonly name: string;
    readonly summary: string;
    readonly paramStructure: string;
    readonly params: readonly Described[];
    readonly examples: readonly object[];
    readonly result: Described;
    readonly errors: readonly { readonly $ref: string }[];
  }[];
  readonly components: { readonly errors: Record<string, { code: number; message: string }> };
  readonly "x-notifications": readonly { readonly name: string; readonly params: readonly Described[] }[];
}

describe("rpc.discover", () => {
  const document = openRpc("1.2.3") as unknown as Discovered;
  const method = (name: string) => document.methods.find((one) => one.name === name)!;

  const ajv = new Ajv({ strict: false });
  const isDescribed = (schema: object, value: unknown) => ajv.validate(schema, value);
  /** The schemas of the parameters of each notification, as one schema. */
  const notes = new Map(
    document["x-notifications"].map(({ name, params }) => {
      const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
      const required = params.filter((param) => param.required).map((param) => param.name);
      return [name, { type: "object", properties, required, additionalProperties: false }];
    }),
  );
  const paramsOf = (name: string) => notes.get(name)!;

  test("[DI1] returns an OpenRPC document with every method", async () => {
    const { result } = await (await greeted({})).ask("rpc.discover");
    expect(result).toMatchObject({ openrpc: "1.3.2", info: { title: "spliced", version: "0.0.0" } });
    expect((result as unknown as Discovered).methods.map(({ name }) => name)).toEqual(Object.keys(methods));
  });

  test("[DI1] lists parameters by name, once, required ones first", () => {
    for (const { paramStructure, params } of document.methods) {
      expect(paramStructure).toBe("by-name");
      expect(new Set(params.map(({ name }) => name)).size).toBe(params.length);
      const required = params.map((param) => Number(param.required));
      expect(required).toEqual(required.toSorted((a, b) => b - a));
    }
    expect(method("doc.rename").params.map(({ name, required }) => [name, required])).toEqual([
      ["path", true],
      ["to", true],
      ["message", false],
      ["thread", false],
      ["messageId", false],
    ]);
    expect(method("subscribe").params.map(({ name, required }) => [name, required])).toEqual([
      ["path", false],
      ["pattern", false],
      ["thread", false],
      ["threads", false],
    ]);
  });

  test("[DI1] every schema compiles, and checks what it describes", () => {
    const described = [
      ...document.methods.flatMap(({ params, result }) => [...params, result]),
      ...document["x-notifications"].flatMap(({ params }) => params),
    ];
    // Many parameters have equal schemas, and a compilation takes a millisecond.
    const schemas = new Map(described.map(({ schema }) => [JSON.stringify(schema), schema]));
    for (const schema of schemas.values()) ajv.compile(schema);
    const lines = ajv.compile(method("doc.read").params.find(({ name }) => name === "lines")!.schema);
    expect([[1, 2], [0, 2], [1], "1-2"].map((value) => lines(value))).toEqual([true, false, false, false]);
  });

  test("[DI4] a type that may be null is an anyOf, which generators read", () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/"type":\[/);
    expect(text).toContain('{"type":"null"}');
  });

  const files = {
    "notes/today.md": "one\ntwo\nthree\n",
    "notes/old.md": "old\n",
    "notes/draft.md": "draft\n",
    "settings.toml": "[server]\nport = 80\n",
  };
  const today = { path: "notes/today.md" };
  type Ready = (talk: Talk) => Promise<object>;
  const edited: Ready = async (talk) => (await talk.ask("edit.append", { ...today, text: "x\n" })).result!;
  const proposed: Ready = async (talk) =>
    (await talk.ask("proposal.create", { ...today, operation: "append", proposed_value: "x" })).result!;
  const change: Ready = async (talk) => ({
    changeId: ((await edited(talk)) as { changeId: string }).changeId,
  });
  const id: Ready = async (talk) => ({ id: ((await proposed(talk)) as { id: string }).id });
  const version: Ready = async (talk) => ({
    version: (await talk.ask("doc.open", today)).result!["version"],
  });
  const spoken: Ready = async (talk) => {
    const { thread } = (await talk.ask("thread.append", EXAMPLES["thread.append"])).result!;
    return { thread };
  };
  const leased: Ready = async (talk) => {
    const lease = await talk.ask("thread.lease", await spoken(talk));
    return { leaseId: lease.result!["leaseId"] };
  };
  /** What must have happened before an example, and the ids that the daemon answered then. */
  const before: Partial<Record<Method, Ready>> = {
    "doc.restore": async (talk) => {
      await talk.ask("doc.delete", { path: "notes/old.md" });
      return {};
    },
    "seen.told": version,
    "change.get": change,
    "preview.apply": async (talk) => {
      const made = await talk.ask("preview.create", EXAMPLES["preview.create"]);
      return { patch_id: made.result!["patch_id"], base_hash: made.result!["base_hash"] };
    },
    "proposal.get": id,
    "proposal.approve": id,
    "proposal.reject": id,
    "history.diff": async (talk) => ({
      ...today,
      from: ((await edited(talk)) as { version: string }).version,
    }),
    "history.restore": version,
    undo: async (talk) => {
      await edited(talk);
      return { agent: "tester" };
    },
    redo: async (talk) => {
      await edited(talk);
      await talk.ask("undo", { agent: "tester" });
      return { agent: "tester" };
    },
    "checkpoint.restore": async (talk) => {
      await talk.ask("checkpoint.create", EXAMPLES["checkpoint.create"]);
      return {};
    },
    "thread.get": spoken,
    "thread.context": spoken,
    "thread.lease": spoken,
    "thread.part": leased,
    "thread.release": leased,
    "thread.stop": spoken,
    "thread.resolve": spoken,
    "thread.clear": spoken,
    "lane.remove": async (talk) => {
      await talk.ask("lane.add", EXAMPLES["lane.add"]);
      return {};
    },
    "claim.close": async (talk) => {
      await talk.ask("claim.open", EXAMPLES["claim.open"]);
      return {};
    },
  };
  /** Methods that need a broker: test/e2e/machines.test.ts calls them. */
  const withBroker: ReadonlySet<string> = new Set(["machine.remove", "workspace.share", "workspace.leave"]);
  for (const one of document.methods)
    test(`[DI4, DI5] ${one.name} has a valid example, and answers what it describes`, async () => {
      const [{ params }] = one.examples as [{ params: { name: string; value: unknown }[] }];
      const given = Object.fromEntries(params.map(({ name, value }) => [name, value]));
      const name = one.name as Method;
      expect(methods[name].params.safeParse(given).error).toBeUndefined();
      if (withBroker.has(name)) return;
      const talk = await greeted(files);
      const ready = (await before[name]?.(talk)) ?? {};
      const fresh = name === "hello" ? new Talk(talk.bench) : talk;
      const { error, result } = await fresh.ask(name, { ...given, ...ready });
      expect(error).toBeUndefined();
      expect(isDescribed(one.result.schema, result), ajv.errorsText()).toBe(true);
    });

  test("[DI5] every kind of result and notification of a proposal and of a stale save is described", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\nthree\n" });
    await talk.ask("subscribe", { pattern: "**" });
    const { thread, messageId } = (await talk.ask("thread.append", { path: "a.md", role: "user", text: "?" }))
      .result!;
    await talk.ask("edit.replace", { path: "a.md", old: "two", new: "TWO" });
    talk.bench.save("a.md", "one\ntwo\nthree, four\n");
    await talk.ask("doc.read", { path: "a.md" });
    talk.bench.save("a.md", "one\nzwei\nthree, four\n");
    await talk.ask("doc.read", { path: "a.md" });
    const creation = { path: "b.md", operation: "create", text: "b\n" };
    const answered = { files: [creation], thread, messageId };
    const made = await talk.ask("proposal.create", answered);
    const { id } = made.result!;
    const approved = await talk.ask("proposal.approve", { id });
    const rights = new Rights([{ glob: "**", level: "propose", conflict: "merge" }]);
    const guest = await talk.again({ name: "guest", rights });
    const files = [{ docPath: "c.md", operation: "create", text: "c\n" }];
    const batch = await guest.ask("batch.apply", { files });
    for (const [name, answer] of [
      ["proposal.create", made],
      ["proposal.approve", approved],
      ["batch.apply", batch],
    ] as const)
      expect(isDescribed(method(name).result.schema, answer.result), ajv.errorsText()).toBe(true);
    const told = ["doc.changed", "doc.created", "doc.conflict", "doc.rescued", "proposal.changed"];
    for (const name of told) await expect.poll(() => talk.told(name)).not.toEqual([]);
    expect(talk.told("proposal.changed")[0]!.params).toMatchObject({ answers: { thread, messageId } });
    for (const { method: name, params } of talk.sent)
      if (name !== undefined) expect(isDescribed(paramsOf(name), params), ajv.errorsText()).toBe(true);
  });

  test("[DI1] lists every error with its code", () => {
    expect(Object.keys(document.components.errors)).toEqual([...REFUSAL_CODES]);
    expect(document.components.errors["NO_MATCH"]).toMatchObject({
      code: -32010,
      data: { code: "NO_MATCH" },
    });
    for (const { errors } of document.methods)
      for (const { $ref } of errors)
        expect(document.components.errors[$ref.replace("#/components/errors/", "")]?.message).toBeTruthy();
  });
});

describe("diff.build", () => {
  const unit = fc.constantFrom(
    "a",
    "b",
    "word ",
    "\n",
    "\n",
    "\r\n",
    "}",
    "-- c",
    "é\u{1f600}",
    "\ufeff",
    "@@",
  );
  const texts = fc.array(unit, { maxLength: 30 }).map((units) => units.join(""));

  test("[DI2] its diff, sent to edit.patch, produces the updated text", async () => {
    const { service } = await greeted({});
    const peer = {
      actor: ALICE,
      user: "owner",
      unit: "utf-32",
      session: "ses_test",
      role: "agent",
      isBrief: false,
      place: new Traffic().answer({}),
    } as const;
    const context = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined });
    const path = fc.constantFrom("a.md", undefined);
    await fc.assert(
      fc.asyncProperty(texts, texts, context, path, async (original, updated, around, named) => {
        const params = { original, updated, context: around, path: named };
        const { diff, changed } = accepted(
          await perform(service, peer, "diff.build", params),
        ) as Result<"diff.build">;
        expect(changed).toBe(original !== updated);
        const text = Text.of(original);
        const { splices } = changed
          ? accepted(planPatch(diff)({ text, eol: eolOf(text), maxBytes: 1 << 24 }))
          : { splices: [] };
        expect(text.splice(splices).toString()).toBe(updated);
      }),
      { numRuns: 1000 },
    );
  });

  test("[DI2] the path names the file; texts over the limit are refused", async () => {
    const talk = await greeted({});
    const build = (params: object) => talk.ask("diff.build", { original: "a\n", updated: "b\n", ...params });
    expect((await build({ updated: "a\n" })).result).toEqual({ diff: "", changed: false });
    expect((await build({ path: "x/y.md" })).result?.["diff"]).toBe(
      "--- a/x/y.md\n+++ b/x/y.md\n@@ -1,1 +1,1 @@\n-a\n+b\n",
    );
    expect((await build({})).result?.["diff"]).toBe("@@ -1,1 +1,1 @@\n-a\n+b\n");
    expect((await build({ updated: "x".repeat((1 << 20) + 1) })).error?.data.code).toBe("TOO_LARGE");
  });
});

test("[DI3] doc.read returns the hash of the part on request", async () => {
  const talk = await greeted({ "a.md": "one\ntwö\nthree" });
  const hashOf = (part: string) => createHash("sha256").update(part).digest("hex");
  const read = async (extra: object) =>
    (await talk.ask("doc.read", { path: "a.md", selectionHash: true, ...extra })).result;
  expect((await read({ lines: [2, 2] }))?.["selection_hash"]).toBe(hashOf("twö\n"));
  expect((await read({ range: [4, 7] }))?.["selection_hash"]).toBe(hashOf("twö"));
  expect((await read({}))?.["selection_hash"]).toBe(hashOf("one\ntwö\nthree"));
  expect(await read({ selectionHash: false })).not.toHaveProperty("selection_hash");
});
