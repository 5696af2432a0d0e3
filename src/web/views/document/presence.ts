import { type ReadonlySignal, signal } from "@preact/signals";
import { DisconnectedError, RefusedError } from "../../../client/browser.ts";
import { showError } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";

/** Somebody else who looks at the document, and where, in its positions. */
export interface Viewer {
  readonly session: string;
  readonly name: string;
  readonly selection: { readonly from: number; readonly to: number } | undefined;
}

export interface PresenceFeed {
  /** The others, by session. */
  readonly others: ReadonlySignal<ReadonlyMap<string, Viewer>>;
  /** Tells the others where the own selection is, now and then. */
  readonly move: (from: number, to: number) => void;
  readonly end: () => void;
}

/** The own selection is told so often at most. */
const SELECTION_MS = 120;

interface PresenceMessage {
  readonly session: string;
  readonly name: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Tells that this page looks at a document, and follows who else does, until `end`. */
export function followPresence({ client, live, path, ended }: OpenDocument): PresenceFeed {
  const others = signal<ReadonlyMap<string, Viewer>>(new Map());
  let at: { from: number; to: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let done = false;

  const tell = async () => {
    // Positions are the daemon's once it has what was typed.
    await live.settled();
    timer = undefined;
    if (!done) await client.presence.set({ path: path.value, ...at });
  };
  const list = async () => {
    const { present } = await client.presence.list({ path: path.value });
    const own = client.hello.session;
    if (!done)
      others.value = new Map(
        present.flatMap((told) => (told.session === own ? [] : [[told.session, viewerOf(told)]])),
      );
  };
  const failed = (error: unknown) => {
    timer = undefined;
    // That the document or the connection is gone shows elsewhere.
    const known = error instanceof RefusedError || error instanceof DisconnectedError;
    if (!done && !known) showError("Who else is here is not known", error);
  };
  const begin = () => {
    if (ended.value !== undefined) return;
    tell().catch(failed);
    list().catch(failed);
  };
  begin();
  const ends = [
    client.on("presence.changed", (told) => {
      if (told.path !== path.value) return;
      const next = new Map(others.value);
      if (told.gone) next.delete(told.session);
      else next.set(told.session, viewerOf(told));
      others.value = next;
    }),
    client.on("resync", begin),
  ];
  return {
    others,
    move: (from, to) => {
      at = { from, to };
      // While the daemon is away nobody can be told; once it is back, all is told anew.
      if (client.state === "connected") timer ??= setTimeout(() => tell().catch(failed), SELECTION_MS);
    },
    end: () => {
      done = true;
      clearTimeout(timer);
      for (const stop of ends) stop();
      if (ended.value === undefined)
        client.presence.set({ path: path.value, gone: true }).catch(() => undefined); // with the connection it ends, too
    },
  };
}

function viewerOf({ session, name, from, to = from }: PresenceMessage): Viewer {
  return { session, name, selection: from === undefined || to === undefined ? undefined : { from, to } };
}
