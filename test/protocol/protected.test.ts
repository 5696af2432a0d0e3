import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { UpdateStatusCode } from "loro-protocol";
import { describe, expect, test } from "vitest";
import { type Method, methods } from "../../src/protocol/schemas/schemas.ts";
import { Protection } from "../../src/workspace/access/protection.ts";
import { FULL_RIGHTS, levelIncludes, Rights } from "../../src/workspace/access/rights.ts";
import { DiskBench } from "../workspace/harness.ts";
import { insertion, LoroTalk } from "./loro-talk.ts";
import { type Message, Talk } from "./talk.ts";

/** The owner's changes, proposals and previews of a protected file. */
interface ProtectedFileIds {
  readonly path: string;
  readonly changeId: string;
  /** A change that the owner reverted. */
  readonly undone: string;
  readonly batchId: string;
  readonly proposal: string;
  readonly preview: { readonly patch_id: string; readonly base_hash: string };
  readonly version: string;
}

/** Requests that would change or create a protected file, or cause that. */
type Attempts = (left: ProtectedFileIds) => readonly object[];

const none: Attempts = () => [];
const edit =
  (params: object): Attempts =>
  ({ path }) => [{ path, ...params }];
const OPEN = {
  path: "open.md",
  text: "open\n",
  sha256: createHash("sha256").update("open\n").digest("hex"),
};
const batch = ({ path, version }: ProtectedFileIds) => ({
  files: [
    { docPath: OPEN.path, originalSha256: OPEN.sha256, text: "x" },
    { docPath: path, version, text: "x" },
  ],
});
const newest: Attempts = ({ path }) => [{ path }, { path, agent: "tester" }, { agent: "tester" }];

/** Attempts with every method; the types require an entry for each new method. */
const ATTEMPTS: Record<Exclude<Method, "hello">, Attempts> = {
  subscribe: none,
  unsubscribe: none,
  "doc.close": none,
  "doc.list": none,
  "doc.status": none,
  "doc.open": none,
  "doc.read": none,
  "seen.list": none,
  "seen.told": none,
  "doc.create": ({ path }) =>
    path === LINK
      ? []
      : [
          { path, text: "x" },
          { path: `made/${path}`, text: "x" },
          { path: path.toUpperCase(), text: "x" },
        ],
  "doc.delete": ({ path }) => [{ path }],
  "doc.restore": ({ path }) => [{ path }],
  "doc.rename": ({ path }) => [
    { path, to: "moved.md" },
    ...(path === LINK ? [] : [`moved/${path}`, path]).map((to) => ({ path: OPEN.path, to })),
  ],
  "doc.save": none,
  "doc.reload": ({ path }) => [{ path }],
  "doc.diff": none,
  "doc.committed": none,
  search: none,
  "history.prune": () => [{ before: "2026-01-01T00:00:00Z" }],
  "mirror.resume": () => [{}],
  "edit.replace": edit({ old: "one", new: "x" }),
  "edit.patch": edit({ patch: "@@ -1 +1 @@\n-one\n+x\n" }),
  "edit.splice": edit({ splices: [{ from: 0, to: 1, insert: "x" }] }),
  "edit.lines": edit({ changes: [{ operation: "insert", afterLine: 0, newLines: ["x"] }] }),
  "edit.append": edit({ text: "x" }),
  "edit.write": edit({ text: "x" }),
  "edit.set": edit({ key: ["a"], value: 1 }),
  "edit.legacy": edit({ op: "insert", content: "x", cursor: 0, document_version: "0-x" }),
  "batch.apply": (left) => [batch(left)],
  "change.get": none,
  "preview.create": (left) => [
    { method: "edit.append", params: { path: left.path, text: "x" } },
    { method: "batch.apply", params: batch(left) },
  ],
  "preview.apply": ({ preview: { patch_id, base_hash } }) => [{ patch_id, base_hash, confirm: true }],
  "preview.list": none,
  "proposal.create": edit({ operation: "append", proposed_value: "x" }),
  "proposal.list": none,
  "proposal.get": none,
  "proposal.approve": ({ proposal: id }) => [{ id }, { id, hunks: [1] }],
  "proposal.reject": ({ proposal: id }) => [{ id }],
  "history.list": none,
  "history.diff": none,
  "history.restore": ({ path, version }) => [{ path, version }],
  undo: (left) => [{ changeId: left.changeId }, { batchId: left.batchId }, ...newest(left)],
  redo: (left) => [{ changeId: left.undone }, ...newest(left)],
  blame: none,
  "checkpoint.create": () => [{ name: "mine" }],
  "checkpoint.list": none,
  "checkpoint.restore": () => [{ name: "kept" }],
  "thread.list": none,
  "thread.append": none,
  "thread.get": none,
  "thread.context": none,
  "thread.lease": none,
  "thread.part": none,
  "thread.release": none,
  "thread.stop": none,
  "thread.resolve": none,
  "thread.clear": none,
  "presence.set": none,
  "presence.list": none,
  // A claim of a link is of no use: nobody is credited with a change behind it (KR6).
  "claim.open": ({ path }) => (path === LINK ? [] : [{ agent: "tester", path }]),
  "claim.close": none,
  "claim.turn": none,
  "claim.read": none,
  "claim.last": none,
  "claim.news": none,
  "metrics.get": none,
  "settings.get": none,
  "settings.set": () => [{ legacyOps: true }],
  "machine.list": none,
  "machine.remove": () => [{ machine: "m" }],
  "workspace.share": () => [{}],
  "workspace.leave": () => [{}],
  "lane.add": () => [{ name: "agent" }],
  "lane.list": () => [{}],
  "lane.remove": () => [{ name: "agent" }],
  "rpc.discover": none,
  "diff.build": none,
};

const FILES = ["daemon.config.ts", ".mcp.json", "sub/.VSCode/tasks.json"];
const LINK = "innocent.md";

async function owned() {
  const bench = new DiskBench({
    [OPEN.path]: OPEN.text,
    ...Object.fromEntries(FILES.map((path) => [path, "one\n"])),
  });
  symlinkSync("daemon.config.ts", join(bench.root, LINK));
  const owner = new Talk(bench, { name: "owner", rights: FULL_RIGHTS });
  await owner.hello();
  const done = async (method: Method, params: object) => {
    const { result, error } = await owner.ask(method, params);
    if (result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  };
  const left: ProtectedFileIds[] = [];
  for (const path of FILES) {
    const change = async (text: string) => (await done("edit.append", { path, text }))["changeId"] as string;
    const { version } = await done("doc.open", { path });
    const batched = await done("batch.apply", { files: [{ docPath: path, version, text: "one\ntwo\n" }] });
    const changeId = await change("three\n");
    const undone = await change("four\n");
    await done("undo", { changeId: undone });
    const now = await done("doc.open", { path });
    const proposed = await done("proposal.create", { path, operation: "append", proposed_value: "x" });
    const preview = await done("preview.create", { method: "edit.append", params: { path, text: "x" } });
    const { batchId } = batched["result"] as { batchId: string };
    left.push({
      path,
      changeId,
      undone,
      batchId,
      proposal: proposed["id"] as string,
      preview: preview as unknown as ProtectedFileIds["preview"],
      version: now["version"] as string,
    });
  }
  await done("checkpoint.create", { name: "kept" });
  return { bench, owner, left };
}

const writer = new Rights([{ glob: "**", level: "write", conflict: "merge" }]);
const codeOf = ({ error, result }: Message) =>
  error?.data.code ?? (result?.["errors"] as { code: string }[] | undefined)?.[0]?.code;

describe("protected files", () => {
  test("[PF1][PF2] no method of the wire changes, creates, moves or proposes one with `write` everywhere", async () => {
    const { bench, owner, left } = await owned();
    const guest = new Talk(bench, { name: "guest", rights: writer });
    await guest.hello();
    await guest.ask("doc.open", { path: OPEN.path });
    const before = await owner.ask("proposal.list", {});
    const allowed: string[] = [];
    for (const method of Object.keys(ATTEMPTS) as (keyof typeof ATTEMPTS)[])
      for (const one of [...left, { ...left[0]!, path: LINK }])
        for (const params of ATTEMPTS[method](one)) {
          const answer = await guest.ask(method, params);
          if (codeOf(answer) !== "PERMISSION_DENIED")
            allowed.push(`${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)}`);
        }
    expect(allowed).toEqual([]);
    for (const { path } of left) expect(bench.read(path)).toBe("one\ntwo\nthree\n");
    expect(bench.read(OPEN.path)).toBe(OPEN.text);
    expect(await owner.ask("proposal.list", {})).toMatchObject({ result: before.result });
  }, 60_000);

  test("[PF1] each method that takes more than `read` is attempted", () => {
    const left = { path: "p", preview: {} } as ProtectedFileIds;
    const missing = (Object.keys(ATTEMPTS) as (keyof typeof ATTEMPTS)[]).filter(
      (method) => !levelIncludes("read", methods[method].level) && ATTEMPTS[method](left).length === 0,
    );
    expect(missing).toEqual([]);
  });

  test("[PF1] no Loro client changes one, but may read it", async () => {
    const { bench } = await owned();
    const talk = new LoroTalk(bench, { name: "guest", rights: writer });
    const doc = await talk.join("daemon.config.ts");
    expect(doc.getText("content").toString()).toBe("one\ntwo\nthree\n");
    const status = await talk.update("daemon.config.ts", insertion(doc, 0, "x"));
    expect(status).toBe(UpdateStatusCode.PermissionDenied);
    expect(bench.read("daemon.config.ts")).toBe("one\ntwo\nthree\n");
  });

  test("[PF1, PF3][PF2] the refusal names the ways to allow it: `admin` on the path, and the setting", async () => {
    const { bench } = await owned();
    const as = async (rights: Rights) => {
      const talk = new Talk(bench, { name: "guest", rights });
      await talk.hello();
      return async (path: string) => {
        const { error } = await talk.ask("edit.append", { path, text: "x" });
        return error && `${error.message} ${error.data.suggestion}`;
      };
    };
    const denied = await as(writer);
    expect(await denied(".mcp.json")).toMatch(/admin.*`protect` in daemon\.config\.ts/);
    expect(await denied("daemon.config.ts")).toMatch(/admin.*no setting opens it/);
    const reader = await as(new Rights([{ glob: "**", level: "read", conflict: "merge" }]));
    expect(await reader(".mcp.json")).toMatch(/admin.*`protect` in daemon\.config\.ts/);
    const admin = await as(new Rights([{ glob: ".mcp.json", level: "admin", conflict: "merge" }]));
    expect(await admin(".mcp.json")).toBeUndefined();
    const opened = await as(
      new Rights([{ glob: "**", level: "write", conflict: "merge" }], new Protection([])),
    );
    expect(await opened(".mcp.json")).toBeUndefined();
    expect(await opened("daemon.config.ts")).toMatch(/no setting opens it/);
  });
});
