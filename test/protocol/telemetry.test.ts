import { describe, expect, test } from "vitest";
import { exposition, type Family, prometheusText } from "../../src/protocol/telemetry/exposition.ts";
import { BOUNDS_MS, Histogram } from "../../src/protocol/telemetry/histogram.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { parseExposition } from "./parse-exposition.ts";
import { greeted, Talk } from "./talk.ts";

const PATCH = "@@ -1,1 +1,1 @@\n-one\n+two\n";

describe("metrics", () => {
  test("[ME1] a bucket counts all durations up to its bound", () => {
    const histogram = new Histogram();
    for (const ms of [0, 0.5, 0.6, 4, 5000, 5001]) histogram.add(ms);
    const { count, sumMs, buckets } = histogram.snapshot();
    expect({ count, sumMs }).toEqual({ count: 6, sumMs: 10_006.1 });
    expect(buckets.map(({ le }) => le)).toEqual([...BOUNDS_MS]);
    expect(buckets.map((bucket) => bucket.count)).toEqual([2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5]);
  });

  test("[ME1] each request is counted by method and outcome", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("edit.append", { path: "a.md", text: "x\n" });
    await talk.ask("edit.append", { path: "b.md", text: "x\n" });
    await talk.ask("edit.append", { path: 7 });
    await talk.ask("no.such", {});
    await talk.ask("constructor", {});
    const { requests } = talk.service.metrics.snapshot(FULL_RIGHTS);
    const outcomes = Object.fromEntries(requests.map((r) => [r.method, r.outcomes]));
    expect(outcomes).toEqual({
      hello: { ok: 1 },
      "edit.append": { ok: 1, NOT_FOUND: 1, INVALID_ARGUMENT: 1 },
      unknown: { INVALID_ARGUMENT: 2 },
    });
    expect(requests.map(({ latency }) => latency.count)).toEqual([1, 3, 2]);
  });

  test("[ME2] count patches and refused patches, and measure their time", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const patches = async () => (await talk.ask("metrics.get")).result;
    expect(await patches()).toMatchObject({ total_patches: 0, patch_conflicts: 0, avg_patch_latency: 0 });
    await talk.ask("edit.patch", { path: "a.md", patch: PATCH });
    await talk.ask("edit.patch", { path: "a.md", patch: PATCH.replace("one", "other") });
    await talk.ask("edit.patch", { path: "b.md", patch: PATCH });
    const counted = await patches();
    expect(counted).toMatchObject({ total_patches: 3, patch_conflicts: 1 });
    expect(counted?.["avg_patch_latency"]).toBeGreaterThan(0);
    expect(talk.bench.read("a.md")).toBe("two\n");
  });

  test("[ME3] count documents, changes and merges", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\nthree\n", "b.md": "" });
    const { metrics } = talk.service;
    const disconnected = metrics.connected();
    await talk.ask("edit.replace", { path: "a.md", old: "one", new: "1" });
    await talk.ask("edit.append", { path: "b.md", text: "b" });
    talk.bench.save("a.md", "one\ntwo\nTHREE\n"); // a buffer from before the edit
    expect((await talk.ask("doc.read", { path: "a.md" })).result?.["text"]).toBe("1\ntwo\nTHREE\n");
    const told = {
      connections: 1,
      documents: { loaded: 2, pendingWrites: 0, problems: {} },
      changes: { agent: 2, disk: 1 },
      rescued: 1,
      conflicts: 0,
      superseded: 0,
      storeTrouble: null,
    };
    await expect.poll(() => metrics.snapshot(FULL_RIGHTS)).toMatchObject(told);
    talk.bench.save("b.md", "bin\0ary\n");
    await talk.ask("doc.read", { path: "b.md" });
    disconnected();
    expect(metrics.snapshot(FULL_RIGHTS)).toMatchObject({
      connections: 0,
      documents: { problems: { not_text: 1 } },
    });
  });

  test("[ME3] count changes not yet in the file as pending, and name the store's trouble", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { metrics } = talk.service;
    const pending: number[] = [];
    talk.bench.workspace.listen(() => pending.push(metrics.snapshot(FULL_RIGHTS).documents.pendingWrites));
    await talk.ask("edit.append", { path: "a.md", text: "two\n" });
    expect(pending).toEqual([1]); // the store has the edit; the file follows
    expect(metrics.snapshot(FULL_RIGHTS).documents.pendingWrites).toBe(0);
    const trouble = { kind: "full", message: "no space left", since: 0 };
    Object.defineProperty(talk.bench.workspace.ports.store, "trouble", { value: trouble });
    expect(metrics.snapshot(FULL_RIGHTS).storeTrouble).toBe("full");
    expect(prometheusText(metrics.snapshot(FULL_RIGHTS))).toContain('spliced_store_trouble{kind="full"} 1\n');
  });

  test("[ME4] are the same in Prometheus' text format", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("edit.patch", { path: "a.md", patch: PATCH });
    await talk.ask("edit.patch", { path: "a.md", patch: PATCH });
    const snapshot = talk.service.metrics.snapshot(FULL_RIGHTS);
    const families = parseExposition(prometheusText(snapshot));
    const value = (name: string, labels: Record<string, string> = {}) =>
      families.get(name)?.samples.find((s) => JSON.stringify(s.labels) === JSON.stringify(labels))?.value;
    expect(value("spliced_patches_total")).toBe(2);
    expect(value("spliced_patch_conflicts_total")).toBe(1);
    expect(value("spliced_documents_loaded")).toBe(1);
    expect(value("spliced_store_trouble", { kind: "full" })).toBe(0);
    expect(value("spliced_changes_total", { origin: "agent" })).toBe(1);
    expect(value("spliced_requests_total", { method: "edit.patch", outcome: "PATCH_REJECTED" })).toBe(1);
    const buckets = families
      .get("spliced_request_duration_seconds")
      ?.samples.filter((s) => s.suffix === "_bucket" && s.labels["method"] === "edit.patch");
    expect(buckets?.map(({ labels }) => labels["le"])).toEqual([
      ...BOUNDS_MS.map((ms) => String(ms / 1000)),
      "+Inf",
    ]);
    expect(buckets?.at(-1)?.value).toBe(2);
  });

  test("[ME12] the figures of a method are the same object until its next request", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { metrics } = talk.service;
    const of = (method: string) =>
      metrics.snapshot(FULL_RIGHTS).requests.find((figures) => figures.method === method);
    await talk.ask("doc.read", { path: "a.md" });
    const [hello, read] = [of("hello"), of("doc.read")];
    expect(of("doc.read")).toBe(read);
    await talk.ask("doc.read", { path: "a.md" });
    expect(of("doc.read")).not.toBe(read);
    expect(of("hello")).toBe(hello);
    const text = 'spliced_requests_total{method="doc.read",outcome="ok"} ';
    expect(prometheusText(metrics.snapshot(FULL_RIGHTS))).toContain(`${text}2\n`);
    await talk.ask("doc.read", { path: "a.md" });
    expect(prometheusText(metrics.snapshot(FULL_RIGHTS))).toContain(`${text}3\n`);
  });

  test("[ME8] label values and help texts are escaped", () => {
    const odd: Family = {
      name: "x_total",
      type: "counter",
      help: "a \\ and\na break",
      samples: [{ labels: { a: 'q"\\\n}', b: "," }, value: 1 }],
    };
    expect(exposition([odd])).toBe(
      '# HELP x_total a \\\\ and\\na break\n# TYPE x_total counter\nx_total{a="q\\"\\\\\\n}",b=","} 1\n',
    );
    expect(parseExposition(exposition([odd])).get("x_total")).toEqual({
      type: "counter",
      help: "a \\ and\na break",
      samples: [{ suffix: "", labels: { a: 'q"\\\n}', b: "," }, value: 1 }],
    });
  });
});

describe("a refused edit", () => {
  test("[ME5] subscribers of the document get the agent's message", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "one\n" });
    const page = new Talk(talk.bench);
    await page.hello();
    await page.ask("subscribe", { path: "a.md" });
    const refused = await talk.ask("edit.patch", { path: "./a.md", patch: PATCH.replace("one", "other") });
    await talk.ask("edit.replace", { path: "b.md", old: "nowhere", new: "" });
    await talk.ask("edit.replace", { path: "a.md", old: "nowhere", new: "" });
    expect(page.told("edit.rejected").map(({ params }) => params)).toEqual([
      {
        path: "a.md",
        author: "tester",
        agent: "owner/tester",
        method: "edit.patch",
        code: "PATCH_REJECTED",
        reason: "context_mismatch",
        message: refused.error?.message,
        suggestion: refused.error?.data.suggestion,
      },
      expect.objectContaining({ method: "edit.replace", code: "NO_MATCH", reason: "no_match" }),
    ]);
    expect(talk.bench.read("a.md")).toBe("one\n");
  });

  test("[ME5] subscribers by glob also get the refusal of an undo that later edits prevent", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("subscribe", { pattern: "**/*.md" });
    const { result } = await talk.ask("edit.replace", { path: "a.md", old: "one", new: "two" });
    await talk.ask("edit.replace", { path: "a.md", old: "two", new: "six" });
    expect((await talk.ask("undo", { changeId: result?.["changeId"] })).error?.data.code).toBe("CONFLICT");
    expect(talk.told("edit.rejected")).toMatchObject([{ params: { path: "a.md", method: "undo" } }]);
  });

  const others: [name: string, method: string, params: object][] = [
    ["wrong parameters", "edit.append", { path: "a.md" }],
    ["a missing document", "edit.append", { path: "none.md", text: "x" }],
    ["a path that leads out", "edit.replace", { path: "../a.md", old: "x", new: "y" }],
    ["a read past the end", "doc.read", { path: "a.md", lines: [9, 9] }],
  ];
  for (const [name, method, params] of others)
    test(`[ME9] no subscriber is notified of ${name}`, async () => {
      const talk = await greeted({ "a.md": "one\n" });
      await talk.ask("subscribe", { pattern: "**" });
      expect((await talk.ask(method, params)).error).toBeTruthy();
      expect(talk.told("edit.rejected")).toEqual([]);
    });
});

describe("the log", () => {
  const lines = (talk: Talk) => talk.logged.map((line) => JSON.parse(line) as Record<string, unknown>);

  test("[ME6] has one entry per request: metadata, at info for a method that changes something", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    talk.logged.length = 0;
    await talk.ask("doc.read", { path: "a.md" });
    const { result } = await talk.ask("edit.replace", {
      path: "a.md",
      old: "one",
      new: "three",
      message: "why",
    });
    await talk.ask("edit.patch", { path: "a.md", patch: PATCH });
    await talk.ask("edit.append", { path: "a.md", secret: "one" });
    const common = { event: "request", agent: "owner/tester", request: expect.stringMatching(/^req_/) };
    expect(lines(talk)).toMatchObject([
      { ...common, level: "debug", method: "doc.read", path: "a.md", outcome: "ok" },
      {
        ...common,
        level: "info",
        method: "edit.replace",
        path: "a.md",
        lengths: { old: 3, new: 5 },
        changeId: result?.["changeId"],
        outcome: "ok",
        ms: expect.any(Number),
      },
      { ...common, lengths: { patch: PATCH.length }, outcome: "PATCH_REJECTED", reason: "context_mismatch" },
      { ...common, method: "edit.append", outcome: "INVALID_ARGUMENT" },
    ]);
    expect(new Set(lines(talk).map(({ request }) => request)).size).toBe(4);
  });

  test("[ME10] never contains text, messages, or keys that no method has", async () => {
    const secret = "hunter2";
    const talk = await greeted({ "a.md": `${secret} one\n` });
    await talk.ask("edit.replace", { path: "a.md", old: "one", new: secret, message: secret, opId: secret });
    await talk.ask("edit.replace", { path: "a.md", old: `${secret} none`, new: secret });
    await talk.ask("edit.patch", { path: "a.md", patch: `@@ -1,1 +1,1 @@\n-${secret}\n+x\n` });
    await talk.ask("edit.lines", {
      path: "a.md",
      changes: [{ operation: "delete", startLine: 1, endLine: 1, expectedOriginalLines: [secret] }],
    });
    await talk.ask("edit.append", { path: "a.md", text: "x", [secret]: secret });
    await talk.ask(secret, { [secret]: secret });
    await talk.ask("doc.read", { path: "a.md" });
    expect(talk.logged.length).toBeGreaterThan(7);
    expect(talk.logged.join("\n")).not.toContain(secret);
  });

  test("[ME6] of a defect has the caller's id", async () => {
    const bench = new Bench({ "a.md": "x" });
    const talk = new Talk(bench);
    await talk.hello();
    bench.workspace.ports.store.documentAt = () => {
      throw new Error("a planted defect");
    };
    const { error } = await talk.ask("edit.append", { path: "a.md", text: "x" });
    const id = /req_\w+/.exec(error?.message ?? "")?.[0];
    expect(lines(talk).slice(1)).toMatchObject([
      { level: "error", event: "request.failed", request: id, reason: expect.stringContaining("planted") },
      { level: "info", event: "request", request: id, outcome: "INTERNAL" },
    ]);
  });
});
