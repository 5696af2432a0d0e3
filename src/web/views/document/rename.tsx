import { useSignal } from "@preact/signals";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { PathField } from "../../parts/controls/path-field.tsx";
import { attempt } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";

/** A dialog that renames or moves a document. */
export function RenameDialog({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const to = useSignal(path);
  const target = to.value.trim();
  const rename = async () => {
    const renamed = await attempt("Could not rename the document", () =>
      theDaemon().doc.rename({ path, to: target }),
    );
    if (renamed !== undefined) onClose();
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
      <p class="quiet">The history and authors stay with the document.</p>
    </Dialog>
  );
}
