import { LoroAdaptor, LoroEphemeralAdaptor } from "loro-adaptors/loro";
import { EphemeralStore, LoroDoc, type LoroText } from "loro-crdt";
import { LoroWebsocketClient } from "loro-websocket";
import { WebSocket } from "ws";
import type { Located } from "../../src/client/index.ts";
import { atEnd } from "./cleanup.ts";
import { within } from "./until.ts";

const tokens = new Map<string, string>();

/** A WebSocket that sends the token of its address, because Node's own WebSocket sends no headers. */
class WithToken extends WebSocket {
  constructor(url: string | URL) {
    super(url, { headers: { authorization: `Bearer ${tokens.get(String(url))}` } });
    // The package listens to no error of a socket that it closes before the connection is made.
    this.on("error", () => undefined);
  }
}
globalThis.WebSocket = WithToken as unknown as typeof globalThis.WebSocket;

/** The package does not handle the rejection of an aborted attempt to reconnect. */
class QuietClient extends LoroWebsocketClient {
  override connect(options?: { resetBackoff?: boolean }): Promise<void> {
    const connecting = super.connect(options);
    connecting.catch(() => undefined);
    return connecting;
  }
}

/** A client of the `loro-websocket` package, and the errors that it received. */
export interface LoroPeer {
  readonly client: LoroWebsocketClient;
  /** Joins a room with a document; `as` is the name of the edits' author. */
  join(path: string, doc?: LoroDoc, as?: string): Promise<JoinedText>;
  joinPresence(path: string, store?: EphemeralStore): Promise<EphemeralStore>;
}

export interface JoinedText {
  readonly doc: LoroDoc;
  readonly text: LoroText;
  /** Reasons of updates that were refused. */
  readonly refused: string[];
  readonly statuses: string[];
  /** Edits the text and sends the edit. */
  edit(change: (text: LoroText) => void): void;
  leave(): Promise<void>;
}

export function loroPeer({ url }: Located, token: string): LoroPeer {
  const address = `${url.replace("http:", "ws:")}/loro?${tokens.size}`;
  tokens.set(address, token);
  const client = new QuietClient({
    url: address,
    reconnect: { initialDelayMs: 50, maxDelayMs: 200 },
  });
  // A client listens to events of the process until it is destroyed.
  atEnd(() => client.destroy());
  return {
    client,
    async join(path, doc = new LoroDoc(), as = "") {
      const refused: string[] = [];
      const statuses: string[] = [];
      const adaptor = new LoroAdaptor(doc, {
        onUpdateError: (_updates, _code, reason) => void refused.push(reason!),
      });
      const auth = new TextEncoder().encode(as);
      const onStatusChange = (status: string) => void statuses.push(status);
      const room = await within(
        `joining ${path}`,
        client.join({ roomId: path, crdtAdaptor: adaptor, auth, onStatusChange }),
      );
      await within("the server's version", room.waitForReachingServerVersion());
      const text = doc.getText("content");
      return {
        doc,
        text,
        refused,
        statuses,
        edit(change) {
          change(text);
          doc.commit();
        },
        leave: () => room.destroy(),
      };
    },
    async joinPresence(path, store = new EphemeralStore(60_000)) {
      const crdtAdaptor = new LoroEphemeralAdaptor(store);
      await within(`joining the presence of ${path}`, client.join({ roomId: path, crdtAdaptor }));
      return store;
    },
  };
}
