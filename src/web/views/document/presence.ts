import { type ReadonlySignal, signal } from "@preact/signals";
import { DisconnectedError, RefusedError } from "../../../client/browser.ts";
import { showError } from "../../state/base/messages.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";

/** Another viewer of the document, with their selection in the document's positions. */
interface Viewer {
  readonly session: string;
  readonly name: string;
  /** The other machine that it is on. */
  readonly machine: string | undefined;
  readonly selection: { readonly from: number; readonly to: number } | undefined;
}

export interface PresenceFeed {
  /** The other viewers, by session. */
  readonly others: ReadonlySignal<ReadonlyMap<string, Viewer>>;
  /** Sends the own selection to the others, at most every `SELECTION_MS`. */
  readonly move: (from: number, to: number) => void;
  readonly end: () => void;
}

/** Least milliseconds between two messages with the own selection. */
const SELECTION_MS = 120;

interface PresenceMessage {
  readonly session: string;
  readonly name: string;
  readonly machine?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Announces this page as a viewer of a document and follows the other viewers, until `end`. */
export function followPresence({ client, live, path, ended }: OpenDocument): PresenceFeed {
  const others = signal<ReadonlyMap<string, Viewer>>(new Map());
  let at: { from: number; to: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let done = false;

  const announce = async () => {
    // The positions are valid only once the daemon has all own edits.
    await live.settled();
    timer = undefined;
    if (!done) await client.presence.set({ path: path.value, ...at });
  };
  const list = async () => {
    const { present } = await client.presence.list({ path: path.value });
    const own = client.hello.session;
    if (!done)
      others.value = new Map(
        present.flatMap((viewer) => (viewer.session === own ? [] : [[viewer.session, viewerOf(viewer)]])),
      );
  };
  const failed = (error: unknown) => {
    timer = undefined;
    // Other parts of the page show that the document or the connection is gone.
    const known = error instanceof RefusedError || error instanceof DisconnectedError;
    if (!done && !known) showError("Could not load who else is here", error);
  };
  const begin = () => {
    if (ended.value !== undefined) return;
    announce().catch(failed);
    list().catch(failed);
  };
  begin();
  const ends = [
    client.on("presence.changed", (viewer) => {
      if (viewer.path !== path.value) return;
      const next = new Map(others.value);
      if (viewer.gone) next.delete(viewer.session);
      else next.set(viewer.session, viewerOf(viewer));
      others.value = next;
    }),
    client.on("resync", begin),
  ];
  return {
    others,
    move: (from, to) => {
      at = { from, to };
      // A new connection announces everything again.
      if (client.state === "connected") timer ??= setTimeout(() => announce().catch(failed), SELECTION_MS);
    },
    end: () => {
      done = true;
      clearTimeout(timer);
      for (const stop of ends) stop();
      if (ended.value === undefined)
        client.presence.set({ path: path.value, gone: true }).catch(() => undefined); // the end of the connection ends it too
    },
  };
}

function viewerOf({ session, name, machine, from, to = from }: PresenceMessage): Viewer {
  const selection = from === undefined || to === undefined ? undefined : { from, to };
  return { session, name, machine, selection };
}
