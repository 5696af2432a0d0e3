import { signal, useSignal } from "@preact/signals";
import { Button } from "../parts/controls/button.tsx";
import { Dialog } from "../parts/controls/dialog.tsx";
import { PathField } from "../parts/controls/path-field.tsx";
import { attempt } from "../state/base/messages.ts";
import { documentRoute, go } from "../state/base/route.ts";
import { theDaemon } from "../state/base/session.ts";

const isOpen = signal(false);

/** Asks for the path of a new document. */
export function openNewDocument(): void {
  isOpen.value = true;
}

/** Creates an empty document and opens it. */
export function NewDocument() {
  const typed = useSignal("");
  const path = typed.value.trim();
  const close = () => {
    isOpen.value = false;
  };
  const create = async () => {
    const created = await attempt("Could not create the document", () =>
      theDaemon().doc.create({ path, text: "" }),
    );
    if (created === undefined) return;
    close();
    typed.value = "";
    go(documentRoute(created.path));
  };
  return (
    <>
      <Button icon="plus" label="New document" onClick={openNewDocument} />
      {isOpen.value && (
        <Dialog
          title="New document"
          action="Create"
          disabled={path === ""}
          onAction={() => void create()}
          onClose={close}
        >
          <PathField typed={typed} hint="notes/today.md" />
        </Dialog>
      )}
    </>
  );
}
