import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Method, methods } from "../../src/protocol/schemas/schemas.ts";
import { FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import { McpWorkspace } from "../mcp/mcp-workspace.ts";
import { Bench } from "../workspace/harness.ts";
import { type Message, Talk } from "./talk.ts";

/** Parameters that become text; the limits of frames and documents apply to them. */
const TEXTS =
  /\.(text|old|new|insert|newLines\[\]|expectedOriginalLines\[\]|patch|patch_lines\[\]|content|old_content|proposed_value|system|message|original|updated)$|^hello\.agent\.name$/;

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns the names of unlimited strings in a method's parameters. */
function unbounded(schema: Schema, at: string): string[] {
  const { anyOf = [], oneOf = [], allOf = [], prefixItems = [], properties = {}, items } = schema;
  const bound = schema.maxLength ?? schema.pattern ?? schema.enum ?? schema.const;
  return [
    ...(schema.type === "string" && bound === undefined ? [at] : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => unbounded(one, at)),
    ...[...prefixItems, ...(items ? [items] : [])].flatMap((one) => unbounded(one, `${at}[]`)),
    ...Object.entries(properties).flatMap(([name, one]) => unbounded(one, `${at}.${name}`)),
  ];
}

const LONG = "x".repeat(5000);

const IDS: [method: Method, params: object][] = [
  ["doc.status", { docId: LONG }],
  ["doc.read", { path: LONG }],
  ["doc.read", { path: "a.md", since: LONG }],
  ["edit.append", { path: "a.md", text: "x", opId: LONG }],
  ["edit.append", { path: "a.md", text: "x", version: LONG }],
  ["edit.append", { path: "a.md", text: "x", sha256: LONG }],
  ["edit.append", { path: "a.md", text: "x", confirm: LONG }],
  ["change.get", { changeId: LONG }],
  ["change.get", { batchId: LONG }],
  ["change.get", { filePatchId: LONG }],
  ["preview.apply", { patch_id: LONG, base_hash: "0".repeat(64) }],
  ["preview.apply", { patch_id: "patch_x", base_hash: LONG }],
  ["proposal.get", { id: LONG }],
  ["proposal.list", { path: LONG }],
  ["history.list", { path: LONG }],
  ["history.list", { agent: LONG }],
  ["history.list", { before: LONG }],
  ["history.restore", { path: "a.md", version: LONG }],
  ["undo", { changeId: LONG }],
  ["redo", { batchId: LONG }],
  ["checkpoint.create", { name: LONG }],
  ["checkpoint.restore", { name: LONG }],
  ["thread.get", { thread: LONG }],
  ["thread.list", { bundle: LONG }],
  ["thread.list", { path: LONG }],
  ["thread.release", { leaseId: LONG }],
  ["edit.append", { path: "a.md", text: "x", thread: "thr_1", messageId: LONG }],
];

describe("ids", () => {
  test("[ID1] every name and id among the parameters has a greatest length", () => {
    const found = Object.entries(methods).flatMap(([name, { params }]) =>
      unbounded(z.toJSONSchema(params, { io: "input", reused: "inline" }) as Schema, name),
    );
    expect(found.filter((one) => !TEXTS.test(one))).toEqual([]);
  });

  test("[ID4] of 5,000 characters are INVALID_ARGUMENT in every parameter", async () => {
    const talk = new Talk(new Bench({ "a.md": "a\n" }));
    await talk.hello();
    for (const [method, params] of IDS) {
      const { error } = await talk.ask(method, params);
      expect([method, error?.data.code]).toEqual([method, "INVALID_ARGUMENT"]);
    }
  });

  test("[ID3] of the greatest length fit the store, in any script", async () => {
    const talk = new Talk(new Bench({ "a.md": "a\n" }));
    await talk.hello({ agent: { name: "\u8a9e".repeat(100) } });
    const wide = "\u8a9e".repeat(100);
    const asked = [
      await talk.ask("edit.append", { path: "a.md", text: "x", opId: wide + wide }),
      await talk.ask("doc.status", { docId: wide }),
      await talk.ask("undo", { changeId: wide }),
      await talk.ask("change.get", { batchId: wide }),
      await talk.ask("checkpoint.create", { name: wide }),
      await talk.ask("thread.append", { bundle: wide, role: "user", text: "x" }),
    ];
    expect(asked.map(({ error }) => error?.data.code)).not.toContain("INTERNAL");
  });

  test("[ID4] are refused by tools, too", async () => {
    const guest = await McpWorkspace.in({ "a.md": "a\n" });
    for (const [tool, args] of [
      ["undo", { changeId: LONG }],
      ["undo", { batchId: LONG }],
      ["history", { before: LONG }],
      ["changes_since", { path: "a.md", version: LONG }],
      ["patch", { path: "a.md", patch: "@@ -1 +1 @@\n-a\n+b\n", confirm: LONG }],
      ["read", { path: LONG }],
    ] as const)
      expect(await guest.refused(tool, args)).toContain("INVALID_ARGUMENT");
  });
});

describe("the entries of a document that may not be read", () => {
  test("[ID2] look missing, by every id", async () => {
    const bench = new Bench({ "secret/a.md": "one\n", "docs/open.md": "open\n" });
    const owner = new Talk(bench, { name: "owner", rights: FULL_RIGHTS });
    const docs = new Rights([{ glob: "docs/**", level: "write", conflict: "merge" }]);
    const guest = new Talk(bench, { name: "guest", rights: docs });
    await Promise.all([owner.hello(), guest.hello()]);
    const done = async (method: Method, params: object) => (await owner.ask(method, params)).result!;
    const path = "secret/a.md";
    const { docId, version } = await done("doc.open", { path });
    const { batchId, files } = (
      await done("batch.apply", { files: [{ docPath: path, version, text: "two\n" }] })
    )["result"] as { batchId: string; files: { filePatchId: string; changes: { changeId: string }[] }[] };
    const { changeId, version: now } = await done("edit.append", { path, text: "three\n" });
    const { changeId: undone } = await done("edit.append", { path, text: "four\n" });
    await done("undo", { changeId: undone });
    const { id: proposal } = await done("proposal.create", {
      path,
      operation: "append",
      proposed_value: "x",
    });
    const shown = await done("preview.create", { method: "edit.append", params: { path, text: "x" } });
    const doubtful = await done("preview.create", {
      method: "edit.patch",
      params: { path, match: "tolerant", patch: "@@ -1,2 +1,2 @@\n   two\n-three\n+3\n" },
    });
    const asked: [method: Method, key: string, ids: unknown[], rest?: object][] = [
      ["undo", "changeId", [changeId, undone]],
      ["undo", "batchId", [batchId]],
      ["redo", "changeId", [changeId, undone]],
      ["redo", "batchId", [batchId]],
      ["change.get", "changeId", [changeId, files[0]!.changes[0]!.changeId]],
      ["change.get", "batchId", [batchId]],
      ["change.get", "filePatchId", [files[0]!.filePatchId]],
      ["history.list", "before", [changeId, undone]],
      ["history.restore", "version", [now], { path: "docs/open.md" }],
      ["history.diff", "from", [now]],
      ["history.diff", "from", [now], { path: "docs/open.md" }],
      ["doc.read", "since", [now], { path: "docs/open.md" }],
      ["doc.status", "docId", [docId]],
      ["proposal.get", "id", [proposal]],
      ["proposal.approve", "id", [proposal]],
      ["proposal.reject", "id", [proposal]],
      ...[shown, doubtful].flatMap(({ patch_id, base_hash }) =>
        [base_hash, "0".repeat(64)].map((base): [Method, string, unknown[], object] => [
          "preview.apply",
          "patch_id",
          [patch_id],
          { base_hash: base },
        ]),
      ),
      ["edit.append", "confirm", [shown["patch_id"]], { path: "docs/open.md", text: "" }],
    ];
    for (const [method, key, ids, rest] of asked)
      for (const id of ids as string[]) {
        const madeUp = `${id.slice(0, -3)}zzz`;
        const [hidden, none] = [
          await guest.ask(method, { ...rest, [key]: id }),
          await guest.ask(method, { ...rest, [key]: madeUp }),
        ];
        const plain = ({ id: _, ...answer }: Message, named: string) =>
          JSON.stringify(answer).replaceAll(named, "ID");
        expect(`${method} ${plain(hidden, id)}`).toBe(`${method} ${plain(none, madeUp)}`);
      }
    expect(doubtful["confirmationRequired"]).toBe(true);
    expect(bench.read(path)).toBe("two\nthree\n");
  });
});
