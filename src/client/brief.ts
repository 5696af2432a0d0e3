import type { WireError } from "../protocol/base/errors.ts";
import type { Params, Result } from "../protocol/schemas/schemas.ts";
import { stringifyExactly } from "../text/exact-json.ts";
import { ask, type Question } from "./ask.ts";
import { DisconnectedError, RefusedError, unauthenticated } from "./errors.ts";
import type { Located } from "./locate.ts";
import type { Request } from "./repeats.ts";

/** One request of the protocol. */
export interface BriefCall {
  readonly method: string;
  readonly params: object;
}

/** The answer to a request: its result, or its refusal. */
export interface BriefReply {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: WireError;
}

/** A daemon's address, and the token for it. */
type Address = Pick<Located, "url" | "token">;

const OK = 200;
const UNAUTHORIZED = 401;

/**
 * Sends requests to a daemon in one HTTP request, as one session that ends with it. It needs no WebSocket, which takes
 * longer to load than a request takes. Returns the answers, first that to `hello`.
 *
 * @throws DisconnectedError when no daemon answers, RefusedError when the daemon refuses the token
 */
export async function sendBriefly(
  { url, token }: Address,
  greeting: Params<"hello">,
  calls: readonly BriefCall[],
  most = Number.POSITIVE_INFINITY,
  how: Pick<Question, "agent" | "signal"> = {},
): Promise<readonly BriefReply[]> {
  const requests = [{ method: "hello", params: greeting }, ...calls];
  const { status, text } = await ask(`${url}/rpc`, most, {
    ...how,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: stringifyExactly(requests.map((call, id) => ({ jsonrpc: "2.0", id, ...call }))),
  }).catch((error: Error) => {
    throw new DisconnectedError(`no answer from the daemon at ${url}: ${error.message}`, { cause: error });
  });
  if (status === OK) return JSON.parse(text) as BriefReply[];
  const { error } = JSON.parse(text) as { readonly error: string };
  if (status === UNAUTHORIZED) throw unauthenticated(error, "Make a token with: spliced token add");
  throw new DisconnectedError(`the daemon at ${url} refused the request (${status}): ${error}`);
}

/** Makes requests, each in a session of its own. */
export interface BriefClient {
  request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Makes a request whose method and parameters are unknown before the program runs. */
  call(method: string, params: object): Promise<unknown>;
}

/** Returns a client that needs no connection. It rejects with RefusedError or DisconnectedError. */
export function briefClient(address: Address, greeting: Params<"hello">): BriefClient {
  const call = async (method: string, params: object) => {
    const replies = await sendBriefly(address, greeting, [{ method, params }]);
    const refused = replies.find(({ error }) => error !== undefined);
    if (refused?.error !== undefined) throw new RefusedError(refused.error);
    return replies[1]?.result;
  };
  return {
    call,
    request: <M extends Request>(method: M, params: Params<M>) => call(method, params) as Promise<Result<M>>,
  };
}
