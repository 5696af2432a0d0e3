import { useSignal } from "@preact/signals";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { PathField } from "../parts/path-field.tsx";
import { attempt } from "../state/messages.ts";
import { documentRoute, go } from "../state/route.ts";
import { theDaemon } from "../state/session.ts";

/** Makes an empty document, and goes to it. */
export function NewDocument() {
  const asking = useSignal(false);
  const typed = useSignal("");
  const path = typed.value.trim();
  const close = () => {
    asking.value = false;
  };
  const create = async () => {
    const made = await attempt("It could not be created", () => theDaemon().doc.create({ path, text: "" }));
    if (made === undefined) return;
    close();
    typed.value = "";
    go(documentRoute(made.path));
  };
  return (
    <>
      <Button
        icon="plus"
        label="New document"
        onClick={() => {
          asking.value = true;
        }}
      />
      {asking.value && (
        <Dialog
          title="New document"
          does="Create"
          disabled={path === ""}
          onDo={() => void create()}
          onClose={close}
        >
          <PathField typed={typed} hint="notes/today.md" />
        </Dialog>
      )}
    </>
  );
}
