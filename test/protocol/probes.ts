import { createHash } from "node:crypto";
import type { Method } from "../../src/protocol/schemas/schemas.ts";

interface Probe {
  /** Requests about the document at a path. */
  readonly at?: (path: string) => readonly object[];
  /** Requests about a change. */
  readonly of?: (changeId: string) => readonly object[];
  /** Requests about a proposal. */
  readonly about?: (proposalId: string) => readonly object[];
  /** Requests about a thread. */
  readonly inThread?: (thread: string) => readonly object[];
  /** Requests that list the entries of the document at a path, perhaps none. */
  readonly within?: (path: string) => readonly object[];
  /** Requests that name no document. */
  readonly rest?: readonly object[];
}

const just = (path: string) => [{ path }];
const edit = (params: object) => (path: string) => [
  { path, ...params },
  { path, ...params, opId: JSON.stringify([path, params]), version: "1-x" },
];
const undoing: Probe = {
  at: just,
  of: (changeId) => [{ changeId }],
  rest: [{}, { agent: "disk" }, { agent: "tester" }, { batchId: "bat_secret" }],
};
const thread = (params: object = {}): Probe => ({
  inThread: (thread) => [{ thread, ...params }],
  rest: [{ thread: "thr_none", ...params }],
});
const said = { role: "user", text: "x" };

export const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");
const batches = (docPath: string) => {
  const secret = { docPath, originalSha256: sha256Of("SECRET\n") };
  const open = { docPath: "docs/open.md", originalSha256: sha256Of("open\n") };
  return [
    { files: [{ ...secret, text: "x" }] },
    {
      files: [
        { ...open, replace: { old: "nothing like it", new: "x" } },
        { ...secret, patch: "@@ -1 +1 @@\n-SECRET\n+x\n" },
      ],
    },
  ];
};

/** Requests of every method; a new method needs an entry. */
export const PROBES: Record<Exclude<Method, "hello">, Probe> = {
  subscribe: {
    at: just,
    ...thread(),
    rest: [{ pattern: "**" }, { pattern: "secret/**" }, { threads: true }],
  },
  unsubscribe: { at: just, ...thread(), rest: [{ pattern: "secret/**" }, { threads: true }] },
  "doc.close": { at: just },
  "doc.list": { rest: [{}, { pattern: "secret/**" }, { loaded: true }] },
  "doc.status": { at: just, rest: [{}, { docId: "doc_none" }] },
  "doc.open": { at: just },
  "doc.read": {
    at: (path) => [{ path }, { path, lines: [1, 1] }, { path, since: "0-x" }, { path, version: "0-x" }],
  },
  "seen.list": { at: just, rest: [{}] },
  "seen.told": { at: (path) => [{ path, version: "0-x" }] },
  "claim.open": { at: (path) => [{ agent: "a", path }] },
  "claim.close": { rest: [{ agent: "a" }] },
  "claim.turn": { rest: [{ agent: "a" }] },
  "claim.read": { at: (path) => [{ agent: "a", path }] },
  "claim.last": { at: (path) => [{ agent: "a", path }] },
  "claim.news": { rest: [{}] },
  "doc.create": { at: (path) => [{ path, text: "mine\n" }] },
  "doc.delete": { at: just },
  "doc.restore": { at: just },
  "doc.rename": {
    at: (path) => [
      { path, to: "docs/moved.md" },
      { path: "docs/open.md", to: path },
    ],
  },
  "doc.save": { at: just },
  "doc.reload": { at: just },
  "doc.committed": { at: just },
  "doc.diff": { at: (path) => [{ path }, { path, from: "0-x" }] },
  "mirror.resume": { rest: [{}] },
  "edit.legacy": {
    at: edit({ op: "insert", content: "x", cursor: 0, selection_fingerprint: "0".repeat(64) }),
  },
  "history.prune": { rest: [{ before: "2026-01-01T00:00:00Z", dryRun: true }] },
  search: {
    rest: [{ query: "SECRET" }, { query: "SECRET", pattern: "secret/**" }, { query: "S.*T", regex: true }],
  },
  "metrics.get": { rest: [{}] },
  "settings.get": { rest: [{}] },
  "settings.set": { rest: [{ legacyOps: false }] },
  "machine.list": { rest: [{}] },
  "machine.remove": { rest: [{ machine: "SECRET" }] },
  "workspace.share": { rest: [{}] },
  "workspace.leave": { rest: [{}] },
  "lane.add": { rest: [{ name: "agent", folder: "/lanes/agent" }] },
  "lane.list": { rest: [{}] },
  "lane.remove": { rest: [{ name: "agent" }] },
  "rpc.discover": { rest: [{}] },
  "diff.build": { rest: [{ original: "a", updated: "b" }] },
  "edit.replace": { at: edit({ old: "SECRET", new: "x" }) },
  "edit.patch": { at: edit({ patch: "@@ -1 +1 @@\n-SECRET\n+x\n" }) },
  "edit.splice": { at: edit({ splices: [{ from: 0, to: 1, insert: "x" }] }) },
  "edit.lines": { at: edit({ changes: [{ operation: "insert", afterLine: 0, newLines: ["x"] }] }) },
  "edit.append": { at: edit({ text: "x" }) },
  "edit.write": { at: edit({ text: "x" }) },
  "edit.set": { at: edit({ key: ["a"], value: 1 }) },
  "batch.apply": { at: (path) => batches(path) },
  "change.get": { of: (changeId) => [{ changeId }], rest: [{ batchId: "bat_secret" }] },
  "preview.create": {
    at: (path) => [
      { method: "edit.append", params: { path, text: "x" } },
      ...batches(path).map((params) => ({ method: "batch.apply", params })),
    ],
  },
  "preview.apply": { rest: [{ patch_id: "patch_secret", base_hash: "0".repeat(64) }] },
  "preview.list": { rest: [{}] },
  "proposal.create": {
    at: (path) => [
      { path, operation: "append", proposed_value: "x" },
      { path, operation: "replace", old_content: "SECRET", proposed_value: "x" },
    ],
  },
  "proposal.list": { within: just, rest: [{}, { status: "pending" }] },
  "proposal.get": { about: (id) => [{ id }] },
  "proposal.approve": { about: (id) => [{ id }, { id, hunks: [1] }] },
  "proposal.reject": { about: (id) => [{ id }] },
  "history.list": { at: just, of: (before) => [{ before }], rest: [{}, { agent: "owner" }] },
  "history.diff": { at: (path) => [{ path, from: "0-x" }] },
  "history.restore": { at: (path) => [{ path, version: "0-x" }] },
  undo: undoing,
  redo: undoing,
  blame: { at: just },
  "checkpoint.create": { rest: [{ name: "c" }] },
  "checkpoint.list": { rest: [{}] },
  "checkpoint.restore": { rest: [{ name: "kept" }] },
  "thread.list": { at: just, rest: [{ status: "waiting" }, { bundle: "b" }] },
  "thread.append": {
    at: (path) => [
      { path, ...said },
      { paths: ["docs/open.md", path], ...said },
    ],
    inThread: (thread) => [{ thread, ...said }],
    rest: [{ bundle: "b", ...said }],
  },
  "thread.get": thread(),
  "thread.context": thread({ budget: { maxTokens: 1000, reserveTokens: 1 } }),
  "thread.lease": thread(),
  "thread.part": { rest: [{ leaseId: "lease_none", parts: [{ kind: "text", text: "x" }] }] },
  "thread.release": { rest: [{ leaseId: "lease_none" }] },
  "thread.stop": thread(),
  "thread.resolve": thread(),
  "thread.clear": thread(),
  "presence.set": {
    at: (path) => [{ path }, { path, from: 0, to: 3 }, { path, gone: true }],
  },
  "presence.list": { at: just },
};
