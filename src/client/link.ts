import type { Params, Result } from "../protocol/schemas.ts";
import { Calls } from "./calls.ts";
import { DisconnectedError } from "./errors.ts";
import type { Dial } from "./wire.ts";

/** One greeted connection. */
export interface Link {
  readonly hello: Result<"hello">;
  readonly ended: boolean;
  /** Rejects with RefusedError, or with DisconnectedError when the connection ends first. */
  call(method: string, params: object): Promise<unknown>;
  close(): void;
}

/** Who hears what comes over a link. */
export interface LinkHearer {
  told(method: string, params: never): void;
  /** The link ended, after it was greeted; calls under way reject a moment later. */
  lost(code: number, reason: string): void;
}

/** The close code of one who does not keep to the protocol. */
const PROTOCOL_ERROR = 1002;

/**
 * Opens a connection and says hello; gives up when `signal` aborts. Whoever sends what is no message of the
 * protocol is no daemon: that ends the connection.
 *
 * @throws DisconnectedError where trying again may help, RefusedError where the daemon refused
 */
export async function openLink(
  dial: Dial,
  greeting: Params<"hello">,
  hearer: LinkHearer,
  signal: AbortSignal,
): Promise<Link> {
  let greeted = false;
  let ended = false;
  const calls = new Calls(
    (frame) => wire.send(frame),
    (method, params) => hearer.told(method, params),
  );
  const end = (code: number, reason: string) => {
    if (ended) return;
    ended = true;
    if (greeted) hearer.lost(code, reason);
    calls.end(new DisconnectedError(`the connection ended (${code} ${reason})`));
  };
  const receive = (frame: string) => {
    if (ended || calls.receive(frame)) return;
    end(PROTOCOL_ERROR, "what came is no message of the protocol");
    close();
  };
  let close = () => {}; // nothing to close before the wire is there
  const wire = await dial({ frame: receive, end }, signal);
  close = () => wire.close();
  // A wire whose other end is silent does not tell of its end.
  const giveUp = () => calls.end(new DisconnectedError("the daemon did not say hello in time"));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    if (ended) throw new DisconnectedError("the connection ended as soon as it was there");
    if (signal.aborted) giveUp();
    const hello = (await calls.call("hello", greeting)) as Result<"hello"> | null;
    if (hello?.protocol !== 1) throw new DisconnectedError("what answers does not speak protocol 1");
    greeted = true;
    return {
      hello,
      get ended() {
        return ended;
      },
      call: (method, params) => calls.call(method, params),
      close,
    };
  } catch (error) {
    wire.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
