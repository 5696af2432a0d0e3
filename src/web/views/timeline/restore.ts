import { askToConfirm } from "../../state/confirm.ts";
import { attempt, showMessage } from "../../state/messages.ts";
import { theDaemon } from "../../state/session.ts";
import type { ComparedVersion } from "./version-choice.ts";

const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Makes a document's text what it was at a version, once a person has said so. */
export async function confirmAndRestore(path: string, { version, group }: ComparedVersion): Promise<void> {
  const made = group?.changes.find((change) => change.version === version);
  const then = made === undefined ? version : exact.format(new Date(made.time));
  const sure = await askToConfirm({
    title: `Go back to the version of ${then}?`,
    text: `${path} will read as it did then, for everybody, in the file, too. It is a new edit: nothing is erased, and you can take it back.`,
    yes: "Restore",
  });
  if (!sure) return;
  const message = `back to the version of ${then}`;
  const result = await attempt("It was not restored", () =>
    theDaemon().history.restore({ path, version, message }),
  );
  if (result === undefined) return;
  const { changeId, proposal } = result;
  if (proposal !== undefined)
    showMessage("info", "You may only propose here: going back waits for approval.");
  else if (changeId === null) showMessage("info", "It reads so already.");
  else
    showMessage("good", `${path} is as it was on ${then}.`, undefined, {
      label: "Undo",
      run: () => void attempt("It could not be taken back", () => theDaemon().undo({ changeId })),
    });
}
