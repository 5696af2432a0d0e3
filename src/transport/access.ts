import type { IncomingMessage } from "node:http";
import type { Holder } from "../protocol/service/service.ts";
import { SECRET_HEADER, secretAmong } from "./page-secret.ts";

/** The answer to a request that is refused unread. */
export interface Denied {
  readonly status: 401 | 403 | 429;
  readonly message: string;
  /** True when the browser had a sign-in before. */
  readonly again?: true;
}

/** The tokens that admit requests. */
export interface AccessKeys {
  find(token: string): Holder | undefined;
  /** Returns false once the holder's token was revoked. */
  holds(holder: Holder): boolean;
}

/** The credentials of a signed-in browser: its cookie, and the secret of the daemon's origin. */
export interface Pass {
  readonly cookie: string;
  readonly secret: string;
}

/** The sign-ins of browsers, which send a pass instead of a token. */
export interface SignIns {
  /** Lifetime of a browser's cookie, in seconds. */
  readonly maxAgeSeconds: number;
  find(pass: Pass): Holder | undefined;
  /**
   * Signs a browser in. Its former pass remains valid when it belongs to the same token, and ends otherwise.
   */
  begin(holder: Holder, had: Pass | undefined): Pass;
  end(pass: Pass): void;
  /** Returns a key that signs one browser in, once and soon. */
  invite(holder: Holder): string;
  /** Returns the holder of a valid invitation, which stays valid. */
  invited(key: string): Holder | undefined;
  /** Uses up an invitation and returns its holder. */
  accept(key: string): Holder | undefined;
}

/** The settings that requests are checked against. */
interface AccessOptions {
  readonly keys: AccessKeys;
  readonly signIns: SignIns;
  readonly allowedHosts: readonly string[];
  readonly port: () => number;
}

export function isDenied(admitted: Holder | Denied): admitted is Denied {
  return "status" in admitted;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

const NO_KEY: Denied = {
  status: 401,
  message:
    "send Authorization: Bearer … with the token of .spliced/daemon.json, or with one from: spliced token add",
};

/** The most characters of a Host that a refusal quotes. */
const MOST_QUOTED = 80;

const NO_SECRET: Denied = {
  status: 401,
  message: `the cookie of a sign-in admits only together with its secret, which POST /session answered: send it as ${SECRET_HEADER}, or sign in again with: spliced open`,
  again: true,
};

const SIGN_IN_AGAIN: Denied = {
  status: 401,
  message: "this browser’s sign-in has ended; sign in again with: spliced open",
  again: true,
};

/**
 * Admits requests that address this daemon (Host), do not come from a foreign page (Origin), and have a token
 * or a signed-in browser's pass. A token in the query is ignored, because logs and histories store it.
 */
export class Access {
  readonly #keys: AccessKeys;
  readonly #signIns: SignIns;
  readonly #hosts: ReadonlySet<string>;
  readonly #port: () => number;

  constructor({ keys, signIns, allowedHosts, port }: AccessOptions) {
    this.#keys = keys;
    this.#signIns = signIns;
    this.#hosts = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())]);
    this.#port = port;
  }

  /** Returns the holder of a request's credentials, or the reason for its refusal. */
  admit(request: IncomingMessage): Holder | Denied {
    return (
      this.foreignRequest(request) ??
      this.#byToken(request) ??
      this.#byPass(request) ??
      this.#missing(request)
    );
  }

  /**
   * Returns a function that checks whether the request's credentials are still valid: the token and the sign-in. It
   * keeps no request, because a connection keeps the function.
   */
  validityOf(request: IncomingMessage, holder: Holder): () => boolean {
    const pass = this.#byToken(request) === undefined ? this.passOf(request) : undefined;
    return () => this.#keys.holds(holder) && (pass === undefined || this.#signIns.find(pass) === holder);
  }

  /** Returns the holder that a request signs in with a token or an invitation. A pass does not suffice. */
  signingIn(request: IncomingMessage): Holder | Denied {
    return this.#byKey(request, (key) => this.#signIns.accept(key));
  }

  /** Returns the holder that the token or invitation of a request would sign in. */
  wouldSignIn(request: IncomingMessage): Holder | Denied {
    return this.#byKey(request, (key) => this.#signIns.invited(key));
  }

  /** Refuses a request that addresses another host or comes from a foreign page. */
  foreignRequest(request: IncomingMessage): Denied | undefined {
    const { host = "", origin } = request.headers;
    const name = nameOf(host);
    if (name === undefined || !this.#hosts.has(name))
      return {
        status: 403,
        message: `this daemon does not serve the Host ${JSON.stringify(host.slice(0, MOST_QUOTED))}, but ${[...this.#hosts].join(", ")}; \`allowedHosts\` in daemon.config.ts adds others`,
      };
    if (origin !== undefined && !isOf(host, origin))
      return { status: 403, message: "pages of another origin may not connect to this daemon" };
    return undefined;
  }

  /** The name of the browser's cookie. It contains the port, because browsers share cookies between ports. */
  get cookieName(): string {
    return `spliced-${this.#port()}`;
  }

  /** Returns a browser's pass; undefined unless it is complete and comes from the daemon's page. */
  passOf(request: IncomingMessage): Pass | undefined {
    // A page on another port of this machine belongs to the same site, so its requests have the cookie, too.
    const site = request.headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin") return undefined;
    const [cookie, secret] = [this.#cookieOf(request), secretOf(request)];
    return cookie === undefined || secret === undefined ? undefined : { cookie, secret };
  }

  #cookieOf(request: IncomingMessage): string | undefined {
    for (const pair of request.headers.cookie?.split(";") ?? []) {
      const [name, value] = pair.trim().split("=", 2);
      if (name === this.cookieName) return value;
    }
    return undefined;
  }

  #byToken(request: IncomingMessage): Holder | undefined {
    const given = bearer(request);
    return given === undefined ? undefined : this.#keys.find(given);
  }

  #byPass(request: IncomingMessage): Holder | undefined {
    const pass = this.passOf(request);
    return pass === undefined ? undefined : this.#signIns.find(pass);
  }

  #byKey(request: IncomingMessage, byInvitation: (key: string) => Holder | undefined): Holder | Denied {
    const refused = this.foreignRequest(request);
    if (refused !== undefined) return refused;
    const key = bearer(request);
    return this.#byToken(request) ?? (key === undefined ? undefined : byInvitation(key)) ?? NO_KEY;
  }

  #missing(request: IncomingMessage): Denied {
    if (bearer(request) !== undefined || this.#cookieOf(request) === undefined) return NO_KEY;
    return secretOf(request) === undefined ? NO_SECRET : SIGN_IN_AGAIN;
  }
}

function bearer(request: IncomingMessage): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? "")?.[1];
}

/** Returns the secret in a request. Node joins repeated headers with commas. */
function secretOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[SECRET_HEADER];
  return typeof given === "string" ? given : secretAmong(headers["sec-websocket-protocol"] ?? "");
}

/** Returns the host name of a Host header, without its port. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:@/?#\s]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

/**
 * True when a page has the origin that it connects to. Browsers name both alike, behind any proxy or
 * forwarded port.
 */
function isOf(host: string, origin: string): boolean {
  return /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}
