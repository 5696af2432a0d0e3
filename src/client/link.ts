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

/**
 * Opens a connection and says hello.
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
    ended = true;
    if (greeted) hearer.lost(code, reason);
    calls.end(new DisconnectedError(`the connection ended (${code} ${reason})`));
  };
  const wire = await dial({ frame: (frame) => calls.receive(frame), end }, signal);
  const close = () => wire.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    if (ended) throw new DisconnectedError("the connection ended as soon as it was there");
    const hello = (await calls.call("hello", greeting)) as Result<"hello">;
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
    signal.removeEventListener("abort", close);
  }
}
