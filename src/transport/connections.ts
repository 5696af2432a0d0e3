import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Holder } from "../protocol/service/service.ts";
import { openFileLimit } from "../system/process.ts";
import {
  DESCRIPTOR_SHARE,
  MOST_CONNECTIONS,
  MOST_TOKEN_CONNECTIONS,
  STRANGERS_SHARE,
  TOKEN_SHARE,
  TOKENS_SHARE,
} from "../work/bounds.ts";
import type { Denied } from "./access.ts";

/** The owner of a place: a socket, or a response that stays open. */
interface Closable {
  once(event: "close", listener: () => void): unknown;
}

/**
 * The places for connections (I15). Half of the process's file descriptors are reserved for files. Sockets
 * without a token give way to newer ones, and some places are reserved for the owner.
 */
export class Connections {
  readonly #most: number;
  #open = 0;
  /** Sockets without an admitted request, oldest first. */
  readonly #strangers = new Set<Duplex>();
  readonly #taken = new Map<Holder, number>();

  constructor({ most = mostConnections() } = {}) {
    this.#most = most;
  }

  /** Counts a server's sockets from now on. */
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

  /** Reports that a request of a socket was admitted. */
  admitted(socket: Duplex): void {
    this.#strangers.delete(socket);
  }

  /** Reserves a place for a token's connection until it closes; returns the refusal without a free place. */
  take(holder: Holder, connection: Closable): Denied | undefined {
    const own = this.#taken.get(holder) ?? 0;
    const limit = Math.ceil(Math.min(MOST_TOKEN_CONNECTIONS, this.#most * TOKEN_SHARE));
    if (!isOwner(holder) && own >= limit)
      return full(`the token ${holder.name} has ${own} connections, which is the limit; close one of them`);
    if (!isOwner(holder) && this.#takenByTokens >= this.#most * TOKENS_SHARE)
      return full("too many connections are open; try again after some of them have closed");
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

/** True for a token that may do everything everywhere: it could stop the daemon anyway. */
function isOwner({ rights }: Holder): boolean {
  return rights.allowsEverywhere("admin");
}

function full(message: string): Denied {
  return { status: 429, message };
}

/** Returns the share of the process's open files for connections. */
function mostConnections(): number {
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(openFileLimit() * DESCRIPTOR_SHARE)));
}
