import { askToConfirm } from "../../state/base/confirm.ts";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { ComparedVersion } from "./version-choice.ts";

const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Restores a version of a document after the person has confirmed. */
export async function confirmAndRestore(path: string, { version, group }: ComparedVersion): Promise<void> {
  const change = group?.changes.find((one) => one.version === version);
  const then = change === undefined ? version : exact.format(new Date(change.time));
  const sure = await askToConfirm({
    title: `Restore the version of ${then}?`,
    text: `${path} gets the text of that version, for everyone and in the file. This is a new edit: it erases nothing, and you can undo it.`,
    yes: "Restore",
  });
  if (!sure) return;
  const message = `Restored the version of ${then}`;
  const result = await attempt("Could not restore the version", () =>
    theDaemon().history.restore({ path, version, message }),
  );
  if (result === undefined) return;
  const { changeId, proposal } = result;
  if (proposal !== undefined)
    showMessage(
      "info",
      "You can only propose changes here. The restore is now a proposal and needs approval.",
    );
  else if (changeId === null) showMessage("info", "The document already has this text.");
  else
    showMessage("good", `Restored ${path} to the version of ${then}.`, undefined, {
      label: "Undo",
      run: () => void attempt("Could not undo the restore", () => theDaemon().undo({ changeId })),
    });
}
