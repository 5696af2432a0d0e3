import { writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { planAppend } from "../../src/workspace/edits/whole.ts";
import { ALICE, accepted, Bench } from "../workspace/harness.ts";

/** What somebody does between the look at a file and the swap. */
let meanwhile = () => {};

vi.mock(import("../../src/mirror/exchange.ts"), async (importOriginal) => {
  const real = await importOriginal();
  return {
    ...real,
    usableExchange: (staging) => {
      const exchange = real.usableExchange(staging);
      return (a, b) => {
        meanwhile();
        exchange?.(a, b);
      };
    },
  };
});

test.skipIf(process.platform !== "linux")(
  "[I3] a save that came between the look and the swap goes back in its place and is taken in",
  async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    meanwhile = () => {
      meanwhile = () => {};
      writeFileSync(bench.path("a.md"), "one\nsaved\n");
    };
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("edited\n") }));
    expect(bench.read("a.md").split("\n").sort()).toEqual(["", "edited", "one", "saved"]);
  },
);
