import type { IncomingMessage, ServerResponse } from "node:http";
import type { Holder, Service } from "../protocol/service/service.ts";
import { EXPOSITION_TYPE, prometheusText } from "../protocol/telemetry/exposition.ts";
import type { Rights } from "../workspace/access/rights.ts";
import { type Access, type Denied, isDenied, type SignIns } from "./access.ts";
import { type PageFile, sentForm } from "./page-file.ts";
import { roleOf } from "./role.ts";

export interface PagesOptions {
  readonly access: Access;
  readonly signIns: SignIns;
  /** Returns the daemon's address for browsers. */
  readonly url: () => string;
  /** Returns the health of the daemon, in more detail for a caller with rights. */
  readonly health: (rights: Rights | undefined) => object | Promise<object>;
  /** Returns the answer to a challenge, which only this daemon can compute for its address. */
  readonly prove: (nonce: string, url: string) => string;
  /** Default name of a person at the page. */
  readonly person: string;
  /** The workspace's folder; only token holders see it. */
  readonly workspace: string;
  /** Returns the review page's file at a path. */
  readonly page: (path: string) => PageFile | undefined;
}

/** An answer to a request; without a body it only confirms. */
interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = (request: IncomingMessage) => Reply | Promise<Reply>;
type Admitted = (holder: Holder, request: IncomingMessage) => Reply;

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
/** The form of a challenge's nonce, long enough that none repeats. */
const NONCE = /^[\w-]{16,128}$/;

/** The page may load scripts and connect to the daemon only, and no other page may frame it. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const FOR_READERS_OF_ALL: Denied = {
  status: 403,
  message: "this requires a token that may read all documents",
};

/** Answers plain HTTP requests: the review page, sign-ins, health and metrics. */
export class Pages {
  readonly #service: Service;
  readonly #options: PagesOptions;
  readonly #at: Readonly<Record<string, Readonly<Record<string, Answer>>>>;

  constructor(service: Service, options: PagesOptions) {
    this.#service = service;
    this.#options = options;
    const admitted = (answer: Admitted) => this.#admitted(answer);
    this.#at = {
      "/health": { GET: (request) => this.#health(request) },
      "/prove": { GET: (request) => this.#prove(request) },
      "/metrics": { GET: admitted((holder, request) => this.#metrics(request, holder)) },
      "/session": {
        GET: admitted(({ name }) =>
          json({ token: name, name: options.person, workspace: options.workspace }),
        ),
        POST: (request) => this.#signIn(request),
        DELETE: (request) => this.#signOut(request),
      },
      "/session/invitation": {
        GET: (request) => this.#invitationHolder(request),
        POST: admitted((holder) => json({ url: this.invitation(holder) })),
      },
    };
  }

  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
    const answers = this.#at[path] ?? { GET: () => this.#file(path, request) };
    const allow = Object.keys(answers).join(", ");
    const reply = await this.#reply(answers[method], request);
    send(response, reply ?? failure(405, { error: `${allow} only` }, { allow }));
  }

  async #reply(answer: Answer | undefined, request: IncomingMessage): Promise<Reply | undefined> {
    try {
      return await answer?.(request);
    } catch (error) {
      this.#service.log("error", "page.failed", { reason: String(error) });
      return failure(500, { error: "the daemon failed to answer; its log has the reason" });
    }
  }

  /** Returns an address of the page that signs one browser in, once and soon. */
  invitation(holder: Holder): string {
    const { signIns, url } = this.#options;
    return `${url()}/#key=${signIns.invite(holder)}`;
  }

  #admitted(answer: Admitted): Answer {
    return (request) => {
      const holder = this.#options.access.admit(request);
      return isDenied(holder) ? denial(holder) : answer(holder, request);
    };
  }

  /** Returns the rights of a holder in the role that the request names. */
  #rightsOf(request: IncomingMessage, { rights }: Holder): Rights {
    return this.#service.agents.rightsIn(roleOf(request), rights);
  }

  async #health(request: IncomingMessage): Promise<Reply> {
    const { access, health } = this.#options;
    const refused = access.foreignRequest(request);
    if (refused !== undefined) return denial(refused);
    const holder = access.admit(request);
    return json(await health(isDenied(holder) ? undefined : this.#rightsOf(request, holder)));
  }

  /** Answers a challenge without a token: the caller needs it before it sends one. */
  #prove(request: IncomingMessage): Reply {
    const refused = this.#options.access.foreignRequest(request);
    if (refused !== undefined) return denial(refused);
    const nonce = new URLSearchParams((request.url ?? "").split("?", 2)[1] ?? "").get("nonce") ?? "";
    if (!NONCE.test(nonce))
      return failure(400, { error: "send /prove?nonce= with 16 to 128 letters, digits, - or _" });
    return { status: 200, type: TEXT_TYPE, body: `${this.#options.prove(nonce, this.#options.url())}\n` };
  }

  #metrics(request: IncomingMessage, holder: Holder): Reply {
    const rights = this.#rightsOf(request, holder);
    if (!rights.allowsEverywhere("read")) return denial(FOR_READERS_OF_ALL);
    return {
      status: 200,
      type: EXPOSITION_TYPE,
      body: prometheusText(this.#service.metrics.snapshot(rights)),
    };
  }

  #signIn(request: IncomingMessage): Reply {
    const { access, signIns } = this.#options;
    const holder = access.signingIn(request);
    if (isDenied(holder)) return denial(holder);
    this.#service.log("info", "browser.signed_in", { token: holder.name });
    const pass = signIns.begin(holder, access.passOf(request));
    const headers = cookie(access.cookieName, pass.cookie, signIns.maxAgeSeconds);
    return { ...json({ token: holder.name, secret: pass.secret }), headers };
  }

  /**
   * Returns the token that a link would sign in, so that the page can ask before it replaces the present one.
   */
  #invitationHolder(request: IncomingMessage): Reply {
    const holder = this.#options.access.wouldSignIn(request);
    return isDenied(holder) ? denial(holder) : json({ token: holder.name });
  }

  #signOut(request: IncomingMessage): Reply {
    const { access, signIns } = this.#options;
    const holder = access.admit(request);
    if (isDenied(holder)) return denial(holder);
    const pass = access.passOf(request);
    if (pass !== undefined) signIns.end(pass);
    return { status: 204, headers: cookie(access.cookieName, "", 0) };
  }

  #file(path: string, request: IncomingMessage): Reply {
    const { access, page } = this.#options;
    const refused = access.foreignRequest(request);
    if (refused !== undefined) return denial(refused);
    const file = page(path);
    if (file === undefined) {
      const holder = access.admit(request);
      return isDenied(holder) ? denial(holder) : failure(404, { error: this.#places() });
    }
    const { headers, ...sent } = sentForm(file, request.headers);
    return { ...sent, type: file.type, headers: { ...PAGE_HEADERS, ...headers } };
  }

  #places(): string {
    return `this daemon serves / (the page), /rpc (WebSocket), /loro (Loro clients), /mcp (MCP over HTTP), ${Object.keys(this.#at).join(", ")}`;
  }
}

/** Asks clients for a token, as RFC 6750 specifies. */
export const CHALLENGE = 'Bearer realm="spliced"';

export function deny(response: ServerResponse, denied: Denied): void {
  send(response, denial(denied));
}

function denial({ status, message, again }: Denied): Reply {
  const headers = status === 401 ? { "www-authenticate": CHALLENGE } : {};
  return failure(status, { error: message, ...(again && { again }) }, headers);
}

function json(value: object): Reply {
  return { status: 200, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

/** Returns the answer to a failed request; the rest of the request is not read. */
function failure(
  status: number,
  body: { readonly error: string },
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { ...json(body), status, headers: { connection: "close", ...headers } };
}

function cookie(name: string, value: string, maxAgeSeconds: number): Readonly<Record<string, string>> {
  return { "set-cookie": `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict` };
}

function send(response: ServerResponse, { status, type, body, headers }: Reply): void {
  response.writeHead(status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(type !== undefined && { "content-type": type }),
    ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
    ...headers,
  });
  response.end(body);
}
