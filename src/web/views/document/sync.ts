import { type ReadonlySignal, signal } from "@preact/signals";
import { RefusedError } from "../../../client/browser.ts";
import { showError } from "../../state/base/messages.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";

/** Whether the document's file contains all edits. */
type FileSync =
  | { readonly is: "unknown" }
  | { readonly is: "saved" }
  | { readonly is: "writing" }
  | { readonly is: "blocked"; readonly reason: string };

/** Milliseconds that the page waits for more changes before it asks the daemon. */
const SETTLE_MS = 120;
/** Milliseconds after which the page asks again while the file is being written. */
const RETRY_MS = 400;

/** Follows whether the file contains all edits, until `end`. */
export function followFileSync({ client, path, ended }: OpenDocument): {
  readonly sync: ReadonlySignal<FileSync>;
  readonly end: () => void;
} {
  const sync = signal<FileSync>({ is: "unknown" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;

  const ask = async () => {
    timer = undefined;
    if (ended.value !== undefined) return;
    const { docs } = await client.doc.status({ path: path.value });
    if (hasEnded || timer !== undefined || docs[0] === undefined) return;
    const { syncStatus, problem } = docs[0];
    if (syncStatus === "synced") sync.value = { is: "saved" };
    else if (syncStatus === "blocked")
      sync.value = { is: "blocked", reason: problem ?? "The file cannot be written." };
    else askIn(RETRY_MS);
  };
  const askIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(failed), ms);
  };
  // A refusal means that the document is gone, which other parts of the page show.
  const failed = (error: unknown) => {
    if (!hasEnded && !(error instanceof RefusedError))
      showError("Could not check whether the file is saved", error);
  };
  const onChange = (change: { readonly path: string }) => {
    if (change.path !== path.value) return;
    if (sync.value.is !== "blocked") sync.value = { is: "writing" };
    askIn(SETTLE_MS);
  };
  askIn(0);
  const ends = [
    client.on("doc.changed", onChange),
    client.on("mirror.recovered", onChange),
    client.on("mirror.blocked", (blocked) => {
      if (blocked.path === path.value) sync.value = { is: "blocked", reason: blocked.problem.message };
    }),
    client.on("resync", () => askIn(SETTLE_MS)),
  ];
  return {
    sync,
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
      for (const stop of ends) stop();
    },
  };
}
