import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Holder } from "../protocol/service.ts";
import {
  DESCRIPTOR_SHARE,
  MOST_CONNECTIONS,
  MOST_TOKEN_CONNECTIONS,
  STRANGERS_SHARE,
  TOKEN_SHARE,
  TOKENS_SHARE,
} from "../work/bounds.ts";
import type { Denied } from "./access.ts";

/** What a place is held by: a socket, or a response that stays open. */
interface Closable {
  once(event: "close", listener: () => void): unknown;
}

/**
 * The places that connections take (I15). Half of the process's file descriptors stay for files, sockets without a token
 * make room for newer ones, and some places are the owner's whatever other tokens do.
 */
export class Connections {
  readonly #most: number;
  #open = 0;
  /** Sockets from which nothing was admitted, the oldest first. */
  readonly #strangers = new Set<Duplex>();
  readonly #taken = new Map<Holder, number>();

  constructor({ most = mostConnections() } = {}) {
    this.#most = most;
  }

  /** Watches a server's sockets from now on. */
  watch(http: Server): void {
    http.maxConnections = this.#most;
    http.on("connection", (socket: Duplex) => {
      this.#open++;
      this.#strangers.add(socket);
      socket.once("close", () => {
        this.#open--;
        this.#strangers.delete(socket);
      });
      const [oldest] = this.#strangers;
      if (this.#open > this.#most * STRANGERS_SHARE) oldest?.destroy();
    });
  }

  /** A request that came by a socket was admitted. */
  admitted(socket: Duplex): void {
    this.#strangers.delete(socket);
  }

  /** Takes a place for a connection of a token, until it closes. */
  take(holder: Holder, connection: Closable): Denied | undefined {
    const own = this.#taken.get(holder) ?? 0;
    const limit = Math.ceil(Math.min(MOST_TOKEN_CONNECTIONS, this.#most * TOKEN_SHARE));
    if (!isOwner(holder) && own >= limit)
      return full(`the token ${holder.name} has ${own} connections, which is the limit; close one of them`);
    if (!isOwner(holder) && this.#takenByTokens >= this.#most * TOKENS_SHARE)
      return full("too many connections are open; try again when some of them are closed");
    this.#taken.set(holder, own + 1);
    connection.once("close", () => {
      const left = this.#taken.get(holder)! - 1;
      if (left === 0) this.#taken.delete(holder);
      else this.#taken.set(holder, left);
    });
    return undefined;
  }

  get #takenByTokens(): number {
    return [...this.#taken].reduce((sum, [holder, taken]) => sum + (isOwner(holder) ? 0 : taken), 0);
  }
}

/** Whoever may do everything everywhere can stop the daemon anyway. */
function isOwner({ rights }: Holder): boolean {
  return rights.allowsEverywhere("admin");
}

function full(message: string): Denied {
  return { status: 429, message };
}

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}

/** A share of the files that the process may have open; the system's report says "unlimited" where there is no limit. */
function mostConnections(): number {
  const { userLimits } = process.report.getReport() as Report;
  const files = Number(userLimits?.open_files?.soft);
  return Number.isFinite(files)
    ? Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(files * DESCRIPTOR_SHARE)))
    : MOST_CONNECTIONS;
}
