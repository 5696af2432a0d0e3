import type { IncomingMessage } from "node:http";
import type { Holder } from "../protocol/service.ts";
import { SECRET_HEADER, secretAmong } from "./page-secret.ts";

/** Why a request is turned away before anything of it is read. */
export interface Denied {
  readonly status: 401 | 403 | 429;
  readonly message: string;
  /** The browser was signed in once. */
  readonly again?: true;
}

/** Whose tokens open the door. */
export interface AccessKeys {
  find(token: string): Holder | undefined;
  /** False once the token of a holder that was found was revoked. */
  holds(holder: Holder): boolean;
}

/** What a signed-in browser shows: its cookie, and the secret that only pages of the daemon's origin hold. */
export interface Pass {
  readonly cookie: string;
  readonly secret: string;
}

/** Browsers, which send a pass where programs send a token. */
export interface SignIns {
  /** How long a browser is to keep its cookie. */
  readonly maxAgeSeconds: number;
  find(pass: Pass): Holder | undefined;
  /** Signs a browser in. The pass that it had goes on where it is of the same token, and ends where it is not. */
  begin(holder: Holder, had: Pass | undefined): Pass;
  end(pass: Pass): void;
  /** A key that signs one browser in, once and soon. */
  invite(holder: Holder): string;
  /** Whom an invitation is for; it still counts. */
  invited(key: string): Holder | undefined;
  /** Takes up an invitation. */
  accept(key: string): Holder | undefined;
}

/** What of the daemon's own shape requests are checked against. */
export interface Doorway {
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
    "send the token of .spliced/daemon.json, or one made by spliced token add, as Authorization: Bearer …",
};

const SIGN_IN_AGAIN: Denied = {
  status: 401,
  message: "this browser’s sign-in no longer counts; sign in again with: spliced open",
  again: true,
};

/**
 * Admits requests that are addressed to this daemon (Host), do not come from a foreign page (Origin), and
 * carry a token in their header, or the pass of a signed-in browser; never anything from the query, which logs
 * and histories keep.
 */
export class Access {
  readonly #keys: AccessKeys;
  readonly #signIns: SignIns;
  readonly #hosts: ReadonlySet<string>;
  readonly #port: () => number;

  constructor({ keys, signIns, allowedHosts, port }: Doorway) {
    this.#keys = keys;
    this.#signIns = signIns;
    this.#hosts = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())]);
    this.#port = port;
  }

  /** Who a request comes from, or why it is turned away. */
  admit(request: IncomingMessage): Holder | Denied {
    return this.stray(request) ?? this.#byToken(request) ?? this.#byPass(request) ?? this.#missing(request);
  }

  /** Tells, whenever it is asked, whether what let a request in counts still: the token, and a browser's sign-in. */
  standing(request: IncomingMessage, holder: Holder): () => boolean {
    const byPass = this.#byToken(request) === undefined;
    return () => this.#keys.holds(holder) && (!byPass || this.#byPass(request) === holder);
  }

  /** Who a request to sign in comes from: it bears a token or an invitation, and no pass counts. */
  signingIn(request: IncomingMessage): Holder | Denied {
    return this.#byKey(request, (key) => this.#signIns.accept(key));
  }

  /** Whom the token or invitation of a request would sign in. */
  wouldSignIn(request: IncomingMessage): Holder | Denied {
    return this.#byKey(request, (key) => this.#signIns.invited(key));
  }

  /** Why a request is none for this daemon, whoever sent it. */
  stray(request: IncomingMessage): Denied | undefined {
    const { host = "", origin } = request.headers;
    const name = nameOf(host);
    if (name === undefined || !this.#hosts.has(name))
      return { status: 403, message: "this daemon does not answer to that Host" };
    if (origin !== undefined && !isOf(host, origin))
      return { status: 403, message: "pages of another origin may not connect" };
    return undefined;
  }

  /** The cookie that this daemon gave a browser; each port has its own, as cookies are shared between ports. */
  get cookieName(): string {
    return `spliced-${this.#port()}`;
  }

  /** What a browser shows; undefined unless it has both, and comes from a page of the daemon. */
  passOf(request: IncomingMessage): Pass | undefined {
    // A page on another port of this machine is of the same site, so its requests bring the cookie along.
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
    const stray = this.stray(request);
    if (stray !== undefined) return stray;
    const key = bearer(request);
    return this.#byToken(request) ?? (key === undefined ? undefined : byInvitation(key)) ?? NO_KEY;
  }

  #missing(request: IncomingMessage): Denied {
    const wasSignedIn = bearer(request) === undefined && this.#cookieOf(request) !== undefined;
    return wasSignedIn ? SIGN_IN_AGAIN : NO_KEY;
  }
}

function bearer(request: IncomingMessage): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? "")?.[1];
}

/** Node answers a header that came more than once as one, joined by commas. */
function secretOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[SECRET_HEADER];
  return typeof given === "string" ? given : secretAmong(headers["sec-websocket-protocol"] ?? "");
}

/** The name in a Host header, without its port. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:@/?#\s]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

/** Whether a page came from where it asks now; browsers name both alike, whatever proxy or forwarded port is between. */
function isOf(host: string, origin: string): boolean {
  return /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}
