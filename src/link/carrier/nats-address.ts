/** The error for unusable settings of the broker. The message names the remedy and never a secret. */
export class NatsOptionsError extends Error {
  override readonly name = "NatsOptionsError";
}

/** The port of a NATS server whose address names none. */
export const PORT = 4222;

/**
 * Reads the addresses of one broker's servers, with commas between them. The scheme is optional.
 *
 * @throws NatsOptionsError
 */
export function natsUrls(urls: string): readonly [URL, ...URL[]] {
  const [first, ...others] = urls.split(",").map((url) => parse(url.trim(), redacted(urls)));
  return [first!, ...others];
}

/** Returns the address of a broker's first server, without secrets. @throws NatsOptionsError */
export function publicAddress(urls: string): string {
  const [{ protocol, host }] = natsUrls(urls);
  return `${protocol}//${host}`;
}

/** Returns true if two brokers have a server in common. @throws NatsOptionsError */
export function haveCommonServer(one: string, other: string): boolean {
  const servers = new Set(natsUrls(one).map(serverOf));
  return natsUrls(other).some((url) => servers.has(serverOf(url)));
}

function serverOf({ hostname, port }: URL): string {
  return `${hostname}:${port || PORT}`;
}

/**
 * Returns URLs as a person may see them. A password may contain a comma or a slash, so this removes the text up to the
 * last `@`.
 */
export function redacted(urls: string): string {
  return urls.replace(/^(\w+:\/\/)?.*@/s, "$1…@");
}

function parse(url: string, shown: string): URL {
  let parsed: URL;
  try {
    parsed = new URL(url.includes("://") ? url : `nats://${url}`);
  } catch {
    throw new NatsOptionsError(`"${shown}" is no URL of a NATS server; write nats://host:port`);
  }
  if (parsed.protocol !== "nats:" && parsed.protocol !== "tls:")
    throw new NatsOptionsError(
      `${shown} is neither nats:// nor tls://; write nats://host:port or tls://host:port`,
    );
  if (parsed.hostname === "") throw new NatsOptionsError(`"${shown}" names no host; write nats://host:port`);
  if (!/^\/?$/.test(parsed.pathname) || parsed.search !== "" || parsed.hash !== "")
    throw new NatsOptionsError(`${shown} has more than host and port; write nats://host:port`);
  return parsed;
}
