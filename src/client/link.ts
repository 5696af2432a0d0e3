import type { Params, Result } from "../protocol/schemas/schemas.ts";
import { Calls } from "./calls.ts";
import { DisconnectedError } from "./errors.ts";
import type { Dial } from "./wire.ts";

/** One connection whose `hello` succeeded. */
export interface Link {
  readonly hello: Result<"hello">;
  readonly ended: boolean;
  /** Rejects with RefusedError, or with DisconnectedError when the connection ends first. */
  call(method: string, params: object): Promise<unknown>;
  close(): void;
}

/** Receives the messages of a link. */
interface LinkListener {
  notification(method: string, params: never): void;
  /** Reports the end of the link, after its `hello`. The calls under way reject a moment later. */
  lost(code: number, reason: string): void;
}

/** The close code for a peer that violates the protocol. */
const PROTOCOL_ERROR = 1002;

/**
 * Opens a connection and sends `hello`; fails when `signal` aborts first. A message outside the protocol ends
 * the connection.
 *
 * @throws DisconnectedError when another attempt may succeed, RefusedError when the daemon refused
 */
export async function openLink(
  dial: Dial,
  greeting: Params<"hello">,
  listener: LinkListener,
  signal: AbortSignal,
): Promise<Link> {
  let greeted = false;
  let ended = false;
  const calls = new Calls(
    (frame) => wire.send(frame),
    (method, params) => listener.notification(method, params),
  );
  const end = (code: number, reason: string) => {
    if (ended) return;
    ended = true;
    if (greeted) listener.lost(code, reason);
    calls.end(new DisconnectedError(`the connection ended (${code} ${reason})`));
  };
  const receive = (frame: string) => {
    if (ended || calls.receive(frame)) return;
    end(PROTOCOL_ERROR, "a frame is no message of the protocol");
    close();
  };
  let close = () => {}; // the wire is not open yet
  const wire = await dial({ frame: receive, end }, signal);
  close = () => wire.close();
  // A wire to a silent peer reports no end, so the calls are ended here.
  const abort = () => calls.end(new DisconnectedError("the daemon did not answer hello in time"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (ended) throw new DisconnectedError("the connection ended before hello");
    if (signal.aborted) abort();
    const hello = (await calls.call("hello", greeting)) as Result<"hello"> | null;
    if (hello?.protocol !== 1) throw new DisconnectedError("the server does not speak protocol 1");
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
    signal.removeEventListener("abort", abort);
  }
}
