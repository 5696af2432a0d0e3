import { useSignal } from "@preact/signals";
import { Dialog } from "../../parts/dialog.tsx";
import { PathField } from "../../parts/path-field.tsx";
import { attempt } from "../../state/messages.ts";
import { theDaemon } from "../../state/session.ts";

/** Asks for a document's new path. */
export function RenameDialog({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const to = useSignal(path);
  const target = to.value.trim();
  const rename = async () => {
    const done = await attempt("It could not be renamed", () => theDaemon().doc.rename({ path, to: target }));
    if (done !== undefined) onClose();
  };
  return (
    <Dialog
      title="Rename or move"
      action="Rename"
      disabled={target === "" || target === path}
      onAction={() => void rename()}
      onClose={onClose}
    >
      <PathField typed={to} />
      <p class="quiet">Its history and authors go along.</p>
    </Dialog>
  );
}
