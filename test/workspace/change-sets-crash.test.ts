import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { list } from "../../src/workspace/folder/documents.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { flush } from "../../src/workspace/folder/unwritten.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, BOB } from "./harness.ts";

const PATHS = ["a.md", "b.md", "c.md", "d.md", "new/e.md", "new/f.md", "x.md", "y.md"];
const BEFORE = ["one\n", "bee\n", "sea\n", undefined, undefined, undefined, "ex\n", "why\n"];
const AFTER = ["1\n", undefined, undefined, "sea\n", "e\n", "f\n", "why\n", "ex\n"];
const SET = [
  { kind: "replace", path: "a.md", plan: planReplace("one", "1", "first") },
  { operation: "delete", path: "b.md" },
  { operation: "rename", path: "c.md", to: "d.md" },
  { operation: "rename", path: "x.md", to: "y.md" },
  { operation: "rename", path: "y.md", to: "x.md" },
  { operation: "create", path: "new/e.md", content: contentOf("e\n") },
  { operation: "create", path: "new/f.md", content: contentOf("f\n") },
] as const;

/** Where a process dies: at its n-th call of the files, or at the n-th write of its store, which may be durable. */
interface Death {
  readonly at: "files" | "store";
  readonly n: number;
  readonly kept: number;
}

/** Starts a process on a disk and a store, which remain as they are when it ends. */
function start(disk: FakeDisk, store: MemoryStore, before: () => void = () => {}) {
  const { files, workspace } = onFakes(disk, store, () => {}, systemClock, { before });
  onTestFinished(() => workspace.close());
  const batches = new FileBatches(workspace);
  return {
    files,
    workspace,
    batches,
    proposals: new Proposals(workspace, new Editor(workspace), batches, 30),
  };
}

/** Dies during an approval and starts again. Returns undefined when the process did not get that far. */
async function approveAndDie({ at, n, kept }: Death) {
  const disk = new FakeDisk(systemClock);
  for (const [i, path] of PATHS.entries()) if (BEFORE[i] !== undefined) disk.save(path, BEFORE[i]);
  const store = new MemoryStore();
  let calls: number | undefined;
  let left: MemoryStore | undefined;
  const die = () => {
    if (calls === undefined || ++calls !== n) return;
    left = store.crash(kept);
    first.files.crash();
  };
  const first = start(disk, store, () => at === "files" && die());
  const made = await first.proposals.createOfFiles(ALICE, { files: SET });
  if ("refused" in made) throw new Error(made.refused[0]!.refusal.message);
  const { id } = made.proposal;
  if (at === "store")
    for (const write of ["append", "create", "shelve", "saveDocument"] as const) {
      const call = store[write].bind(store) as (...args: unknown[]) => Promise<void>;
      store[write] = (...args: unknown[]) => {
        const writing = call(...args);
        die();
        return writing;
      };
    }
  calls = 0;
  const dead = new Promise<void>((done) => setTimeout(done, 300));
  await Promise.race([first.proposals.approve(BOB, { id }).catch(() => undefined), dead]);
  if (left === undefined) return undefined;
  const second = start(disk, left);
  await second.batches.recover();
  for (const path of PATHS) await second.workspace.open(path);
  const { status } = accepted(await second.proposals.get(ALICE, id));
  await flush(second.workspace, 1000);
  const docs = await list(second.workspace, { wanted: () => true });
  return { status, texts: PATHS.map((path) => disk.text(path)), paths: docs.map(({ path }) => path) };
}

for (const at of ["files", "store"] as const)
  for (const kept of at === "store" ? [0, 1] : [0])
    test(`[BA18] [BA19] [PO10] a crash at any ${at === "files" ? "call of the files" : `write of the store, ${kept} of it kept`}, leaves all of an approval or nothing`, async () => {
      let deaths = 0;
      const outcomes = new Set<string>();
      for (let n = 1; ; n++) {
        const outcome = await approveAndDie({ at, n, kept });
        if (outcome === undefined) break;
        deaths++;
        const { status, texts, paths } = outcome;
        outcomes.add(status);
        const expected = status === "approved" ? AFTER : BEFORE;
        expect([n, status, texts]).toEqual([n, status, expected]);
        expect([n, paths.sort()]).toEqual([n, PATHS.filter((_, i) => expected[i] !== undefined)]);
      }
      expect(deaths).toBeGreaterThan(5);
      expect(outcomes).toContain("pending");
    }, 60_000);
