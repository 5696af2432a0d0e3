import { signal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { askToConfirm } from "../base/confirm.ts";
import { attempt, showMessage } from "../base/messages.ts";
import { plural } from "../base/plural.ts";
import { theDaemon } from "../base/session.ts";

export type CheckpointEntry = Result<"checkpoint.list">["checkpoints"][number];

/** The checkpoints, newest first; undefined until the daemon has answered. */
export const checkpoints = signal<readonly CheckpointEntry[] | undefined>(undefined);

export async function listCheckpoints(): Promise<void> {
  const answer = await attempt("Could not list the checkpoints", () => theDaemon().checkpoint.list());
  if (answer !== undefined) checkpoints.value = answer.checkpoints;
}

/** Creates a checkpoint of all documents. Returns false if the daemon refused. */
export async function createCheckpoint(name: string): Promise<boolean> {
  const created = await attempt("Could not create the checkpoint", () =>
    theDaemon().checkpoint.create({ name }),
  );
  if (created === undefined) return false;
  showMessage("good", `Created checkpoint “${name}” with ${plural(created.documents, "document")}.`);
  await listCheckpoints();
  return true;
}

export async function restoreCheckpoint({ name }: CheckpointEntry): Promise<void> {
  const sure = await askToConfirm({
    title: `Restore “${name}”?`,
    text: "All documents get back the text that they had at this checkpoint. Documents deleted since come back; documents created since stay. Each restored document is a new edit that you can undo.",
    yes: "Restore",
  });
  if (!sure) return;
  const done = await attempt("Could not restore the checkpoint", () =>
    theDaemon().checkpoint.restore({ name }),
  );
  if (done === undefined) return;
  const { restored, unchanged, newer, failed } = done;
  const parts = [
    `${unchanged} had not changed`,
    ...(newer.length > 0 ? [`${newer.length} created since stay`] : []),
    ...failed.map(({ path, message }) => `${path} failed: ${message}`),
  ];
  showMessage(
    failed.length > 0 ? "bad" : "good",
    `Restored ${plural(restored.length, "document")} from “${name}”.`,
    parts.join("; "),
  );
}
