import { onTestFinished } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { accepted } from "./harness.ts";

/** A workspace on fakes with `a.md` open; the store has the document's beginning. */
export async function opened() {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  const store = new MemoryStore();
  const reports: string[] = [];
  const { workspace } = onFakes(disk, store, (event) => reports.push(event));
  onTestFinished(() => workspace.close());
  const document = accepted(await workspace.open("a.md"));
  await document.durable;
  return { disk, store, workspace, document, reports };
}
