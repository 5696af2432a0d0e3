import type { IncomingMessage } from "node:http";
import type { Holder } from "../protocol/service.ts";

/** Why a request is turned away before anything of it is read. */
export interface Denied {
  readonly status: 401 | 403;
  readonly message: string;
}

/** Whose tokens open the door. */
export interface Keys {
  find(token: string): Holder | undefined;
  /** False once the token of a holder that was found was revoked. */
  holds(holder: Holder): boolean;
}

export interface Access {
  /** Who the request's token belongs to, or why it is turned away. */
  admit(request: IncomingMessage): Holder | Denied;
}

export function isDenied(admitted: Holder | Denied): admitted is Denied {
  return "status" in admitted;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Admits requests that are addressed to this daemon (Host), do not come from a foreign page (Origin), and
 * carry a token in their header; never one from the query, which logs and histories keep.
 */
export function access(keys: Keys, allowedHosts: readonly string[], port: () => number): Access {
  const hosts = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())]);
  return {
    admit(request) {
      const host = splitHost(request.headers.host);
      if (host === undefined || !hosts.has(host.name))
        return {
          status: 403,
          message: "this daemon does not answer to that Host",
        };
      const { origin } = request.headers;
      if (origin !== undefined && !ownOrigin(origin, hosts, port()))
        return {
          status: 403,
          message: "pages of another origin may not connect",
        };
      const given = /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? "")?.[1];
      const holder = given === undefined ? undefined : keys.find(given);
      return (
        holder ?? {
          status: 401,
          message:
            "send the token of .spliced/daemon.json, or one made by spliced token add, as Authorization: Bearer …",
        }
      );
    },
  };
}

function splitHost(header: string | undefined): { name: string; port: string } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:@/?#\s]+)(?::(\d{1,5}))?$/i.exec(header ?? "");
  return match === null ? undefined : { name: match[1]!.toLowerCase(), port: match[2] ?? "80" };
}

function ownOrigin(origin: string, hosts: ReadonlySet<string>, port: number): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin);
  const host = splitHost(match?.[1]);
  return host !== undefined && hosts.has(host.name) && host.port === String(port);
}
