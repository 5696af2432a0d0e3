import { describe, expect, test, vi } from "vitest";
import { planSplice } from "../../src/workspace/edits/splice.ts";
import { planAppend } from "../../src/workspace/edits/whole.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import { ALICE, accepted, Bench, BOB } from "./harness.ts";

const TEXT = "some text that is about to go\n";
const LARGE = "0123456789\n".repeat(10_000);
const large = { path: "a.md", plan: planAppend(LARGE) };
const emptying = { path: "a.md", plan: planSplice([{ from: 0, to: TEXT.length, insert: "" }], "utf-16") };

/** A door that holds up whoever comes until it is opened. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { pass: () => opened, open };
}

/** Workers take just the large edit. `asked` counts how often they were to. */
function benchOf(gate = () => Promise.resolve()) {
  const takes = vi.fn((cost: number) => cost > 1000);
  const bench = new Bench({ "a.md": TEXT }, {}, new InlineWorkers(takes, gate));
  return { bench, asked: () => takes.mock.results.filter(({ value }) => value).length };
}

describe("a large edit", () => {
  test("[ED12] is carried over what others changed while a worker had it", async () => {
    const gate = door();
    const { bench, asked } = benchOf(gate.pass);
    const editing = bench.edit(ALICE, large);
    await vi.waitUntil(() => asked() > 0);
    accepted(await bench.edit(BOB, emptying));
    gate.open();
    expect(accepted(await editing)).toMatchObject({ mirrored: true });
    expect(bench.read("a.md")).toBe(LARGE);
  });

  test("[ED12] is carried over what others changed while it waited for the store", async () => {
    const { bench, asked } = benchOf();
    const { store } = bench.workspace.ports;
    const [flush, append] = [door(), store.append.bind(store)];
    store.append = (...entries) => flush.pass().then(() => append(...entries));
    const first = bench.edit(BOB, { path: "a.md", plan: planAppend("more\n") });
    await vi.waitUntil(async () => (await bench.text("a.md")).endsWith("more\n"));
    const editing = bench.edit(ALICE, large);
    await vi.waitUntil(() => asked() > 0);
    const second = bench.edit(BOB, emptying);
    await vi.waitUntil(async () => (await bench.text("a.md")) === "more\n");
    flush.open();
    for (const result of await Promise.all([first, second, editing])) accepted(result);
    expect(bench.read("a.md")).toBe(`more\n${LARGE}`);
  });
});
