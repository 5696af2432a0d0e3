import { writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { planAppend } from "../../src/workspace/edits/whole.ts";
import { ALICE, accepted, Bench } from "../workspace/harness.ts";

/** What somebody does between the look at a file and the swap. */
let meanwhile = () => {};
/** False: as on a file system without an exchange. */
let usable = true;

vi.mock(import("../../src/mirror/exchange.ts"), async (importOriginal) => {
  const real = await importOriginal();
  return {
    ...real,
    usableExchange: (staging) => {
      const exchange = usable ? real.usableExchange(staging) : undefined;
      if (exchange === undefined) return undefined;
      return (a, b) => {
        meanwhile();
        exchange(a, b);
      };
    },
  };
});

test("[I3] without an exchange, a save that came before the swap is found by a look", async () => {
  usable = false;
  const bench = new Bench({ "a.md": "one\n" });
  usable = true;
  await bench.document("a.md");
  const { files } = bench.workspace.ports;
  const { stage } = files;
  files.stage = async (...args) => {
    files.stage = stage;
    const staged = await stage.apply(files, args);
    bench.save("a.md", "one\nsaved\n");
    return staged;
  };
  accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("edited\n") }));
  expect(bench.read("a.md").split("\n").sort()).toEqual(["", "edited", "one", "saved"]);
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
