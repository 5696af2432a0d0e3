import { signal } from "@preact/signals";
import type { Result } from "../../protocol/schemas.ts";
import { askToConfirm } from "./confirm.ts";
import { attempt, showMessage } from "./messages.ts";
import { theDaemon } from "./session.ts";

export type CheckpointEntry = Result<"checkpoint.list">["checkpoints"][number];

/** Newest first; undefined until they are known. */
export const checkpoints = signal<readonly CheckpointEntry[] | undefined>(undefined);

export async function listCheckpoints(): Promise<void> {
  const answer = await attempt("The checkpoints could not be listed", () => theDaemon().checkpoint.list());
  if (answer !== undefined) checkpoints.value = answer.checkpoints;
}

/** Notes all documents' versions under a name; true when it was done. */
export async function createCheckpoint(name: string): Promise<boolean> {
  const made = await attempt("The checkpoint was not made", () => theDaemon().checkpoint.create({ name }));
  if (made === undefined) return false;
  showMessage("good", `Checkpoint “${name}”: ${made.documents} documents as they are now.`);
  await listCheckpoints();
  return true;
}

export async function restoreCheckpoint({ name }: CheckpointEntry): Promise<void> {
  const sure = await askToConfirm({
    title: `Go back to “${name}”?`,
    text: "All documents become what they were then, by new edits: nothing is erased, and each can be taken back. What was deleted since comes back, what was made since stays.",
    yes: "Restore",
  });
  if (!sure) return;
  const done = await attempt("It was not restored", () => theDaemon().checkpoint.restore({ name }));
  if (done === undefined) return;
  const { restored, unchanged, newer, failed } = done;
  const parts = [
    `${unchanged} were as they are now`,
    ...(newer.length > 0 ? [`${newer.length} made since stay`] : []),
    ...failed.map(({ path, message }) => `${path} could not be: ${message}`),
  ];
  showMessage(
    failed.length > 0 ? "bad" : "good",
    `“${name}”: ${restored.length} documents restored.`,
    parts.join("; "),
  );
}
