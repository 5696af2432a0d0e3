/**
 * The secret of a page's origin, which a page sends beside its cookie. A browser sends a host's cookie to
 * every port, but stores data per port. The cookie alone, which other servers receive, therefore grants no
 * access.
 */

/** The header with a page's secret. */
export const SECRET_HEADER = "spliced-page-secret";

/** The subprotocol in the daemon's answer to a page, so that the answer contains no secret. */
const SUBPROTOCOL = "spliced";

/**
 * The start of the subprotocol with the secret: a page cannot set WebSocket headers, and logs store queries.
 */
const SECRET_SUBPROTOCOL = "spliced.page-secret.";

/** Returns the subprotocols that a page requests. */
export function subprotocolsOf(secret: string | undefined): string[] {
  return secret === undefined ? [] : [SUBPROTOCOL, `${SECRET_SUBPROTOCOL}${secret}`];
}

/** Returns the secret in a list of requested subprotocols. */
export function secretAmong(subprotocols: string): string | undefined {
  const requested = subprotocols.split(",").map((name) => name.trim());
  return requested.find((name) => name.startsWith(SECRET_SUBPROTOCOL))?.slice(SECRET_SUBPROTOCOL.length);
}

/** Returns the subprotocol for the answer: the first requested one that is no secret. */
export function chosenAmong(subprotocols: ReadonlySet<string>): string | false {
  return [...subprotocols].find((name) => !name.startsWith(SECRET_SUBPROTOCOL)) ?? false;
}
