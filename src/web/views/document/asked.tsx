import { useSignal } from "@preact/signals";
import { Dialog } from "../../parts/dialog.tsx";
import { theDaemon } from "../../state/session.ts";
import { attempt } from "../../state/tell.ts";
import type { HeadAction } from "./head.tsx";

interface AskedProps {
  readonly action: HeadAction;
  readonly path: string;
  readonly onClose: () => void;
}

/** What has to be asked before a document is renamed or deleted. */
export function Asked({ action, path, onClose }: AskedProps) {
  const to = useSignal(path);
  const run = async (what: string, work: () => Promise<unknown>) => {
    if ((await attempt(what, work)) !== undefined) onClose();
  };
  if (action === "delete")
    return (
      <Dialog
        title={`Delete ${path}?`}
        does="Delete"
        tone="danger"
        onDo={() => void run("It could not be deleted", () => theDaemon().doc.delete({ path }))}
        onClose={onClose}
      >
        <p>The file goes away for everybody. Its text and history are kept, and you can restore it.</p>
      </Dialog>
    );
  const target = to.value.trim();
  return (
    <Dialog
      title="Rename or move"
      does="Rename"
      disabled={target === "" || target === path}
      onDo={() => void run("It could not be renamed", () => theDaemon().doc.rename({ path, to: target }))}
      onClose={onClose}
    >
      <label>
        Its path in the workspace; folders are made as needed
        <input
          type="text"
          value={to.value}
          spellcheck={false}
          onInput={(event) => {
            to.value = event.currentTarget.value;
          }}
        />
      </label>
      <p class="quiet">Its history and authors go along.</p>
    </Dialog>
  );
}
