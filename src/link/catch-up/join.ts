import type { Workspace } from "../../workspace/folder/workspace.ts";
import { isPassing as isPassingRefusal, isRefusal } from "../../workspace/outcome/refusal.ts";
import { longer } from "../base/pause.ts";
import { isPassing } from "./newcomer.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** The pause before a machine that joins tries again; milliseconds. */
const RETRY_MS = 1_000;

interface Joining {
  readonly workspace: Workspace;
  readonly snapshots: SnapshotKeeper;
  /** @throws CarrierError */
  readonly meetAll: () => Promise<void>;
  readonly isConnected: () => boolean;
  /** Called with the reason why the machine has not joined yet. */
  readonly waits: (reason: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes in the newest snapshot, and opens the files that only this machine has. Repeats this until it succeeds. Returns
 * the files that did not open: a defect of one file stops no other (I14). Returns undefined if the link ended before.
 */
export async function join(joining: Joining): Promise<readonly string[] | undefined> {
  const { workspace, isConnected, waits, signal } = joining;
  const { clock, report } = workspace.ports;
  let pause = RETRY_MS;
  for (; !signal.aborted; await clock.sleep(pause, signal)) {
    if (!isConnected()) continue;
    try {
      const unopened = await attempt(joining);
      if (unopened !== undefined) return unopened;
      waits("no machine has stored a snapshot yet");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      waits(reason);
      report(isPassing(error) ? "link.waiting" : "link.defect", { reason });
      pause = isPassing(error) ? RETRY_MS : longer(pause);
    }
  }
  return undefined;
}

/** As `join`, once; returns undefined without a snapshot. */
async function attempt({
  workspace,
  snapshots,
  meetAll,
  signal,
}: Joining): Promise<readonly string[] | undefined> {
  await meetAll();
  const head = await snapshots.take();
  if (head === undefined) return undefined;
  const shared = await snapshots.reader.hashes(head);
  await workspace.cover.pass(signal);
  const { baselines } = workspace.ports.store;
  const own = [...baselines.paths()].filter((path) => baselines.at(path)?.sha256 !== shared.get(path));
  return openAll(workspace, own);
}

/** Opens files that no document has; tries again after growing pauses, until each is open or gone. */
export async function openLater(
  workspace: Workspace,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, store } = workspace.ports;
  let left = paths;
  for (let pause = RETRY_MS; left.length > 0; pause = longer(pause)) {
    await clock.sleep(pause, signal);
    if (signal.aborted) return;
    const there = left.filter((path) => store.baselines.at(path) !== undefined);
    left = await openAll(workspace, there);
  }
}

/** Opens files; returns those that did not open and may do so later. */
async function openAll(workspace: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  const unopened: string[] = [];
  for (const path of paths) {
    const opened = await workspace.open(path).catch((error: unknown) => {
      workspace.ports.report("link.defect", { path, reason: String(error) });
    });
    if (opened === undefined || (isRefusal(opened) && isPassingRefusal(opened))) unopened.push(path);
  }
  return unopened;
}
