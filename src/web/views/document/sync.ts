import { type ReadonlySignal, signal } from "@preact/signals";
import { RefusedError } from "../../../client/browser.ts";
import { showError } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";

/** How the document's file stands to it. */
export type FileSync =
  | { readonly is: "unknown" }
  | { readonly is: "saved" }
  | { readonly is: "writing" }
  | { readonly is: "blocked"; readonly reason: string };

/** Changes come in bursts; the daemon is asked once after each. */
const SETTLE_MS = 120;
/** While the file is being written, it is asked again. */
const RETRY_MS = 400;

/** Follows whether the file holds everything, until `end`. */
export function followFileSync({ client, path, ended }: OpenDocument): {
  readonly sync: ReadonlySignal<FileSync>;
  readonly end: () => void;
} {
  const sync = signal<FileSync>({ is: "unknown" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let done = false;

  const ask = async () => {
    timer = undefined;
    if (ended.value !== undefined) return;
    const { docs } = await client.doc.status({ path: path.value });
    if (done || timer !== undefined || docs[0] === undefined) return;
    const { syncStatus, problem } = docs[0];
    if (syncStatus === "synced") sync.value = { is: "saved" };
    else if (syncStatus === "blocked" || syncStatus === "conflict")
      sync.value = { is: "blocked", reason: problem ?? "The file cannot be written." };
    else later(RETRY_MS);
  };
  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(failed), ms);
  };
  // That it is deleted, or not there any more, is told where that is shown.
  const failed = (error: unknown) => {
    if (!done && !(error instanceof RefusedError)) showError("Whether the file is saved is not known", error);
  };
  const touched = (told: { readonly path: string }) => {
    if (told.path !== path.value) return;
    if (sync.value.is !== "blocked") sync.value = { is: "writing" };
    later(SETTLE_MS);
  };
  later(0);
  const ends = [
    client.on("doc.changed", touched),
    client.on("mirror.recovered", touched),
    client.on("mirror.blocked", (told) => {
      if (told.path === path.value) sync.value = { is: "blocked", reason: told.problem.message };
    }),
    client.on("resync", () => later(SETTLE_MS)),
  ];
  return {
    sync,
    end: () => {
      done = true;
      clearTimeout(timer);
      for (const stop of ends) stop();
    },
  };
}
