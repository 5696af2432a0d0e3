/**
 * How a page shows the secret of its origin, beside its cookie. A browser sends the cookie of a host to every port of
 * it, and keeps what a page stores for one port: so the cookie alone, which other servers are sent, opens nothing.
 */

/** The header of a page's requests that holds its secret. */
export const SECRET_HEADER = "spliced-page-secret";

/** The subprotocol that the daemon answers to a page, so that its answer holds no secret. */
export const SUBPROTOCOL = "spliced";

/** Begins the subprotocol that holds the secret: a page cannot set headers of a WebSocket, and a query is logged. */
const SECRET_SUBPROTOCOL = "spliced.page-secret.";

/** The subprotocols that a page asks for. */
export function subprotocolsOf(secret: string | undefined): string[] {
  return secret === undefined ? [] : [SUBPROTOCOL, `${SECRET_SUBPROTOCOL}${secret}`];
}

/** The secret among the subprotocols that were asked for. */
export function secretAmong(subprotocols: string): string | undefined {
  const asked = subprotocols.split(",").map((name) => name.trim());
  return asked.find((name) => name.startsWith(SECRET_SUBPROTOCOL))?.slice(SECRET_SUBPROTOCOL.length);
}

/** The subprotocol to answer: the first that was asked for and is no secret. */
export function chosenAmong(subprotocols: ReadonlySet<string>): string | false {
  return [...subprotocols].find((name) => !name.startsWith(SECRET_SUBPROTOCOL)) ?? false;
}
