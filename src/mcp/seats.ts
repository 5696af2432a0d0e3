import type { ServerResponse } from "node:http";
import type { Holder, Service } from "../protocol/service/service.ts";
import { MCP_REST_MS, MOST_MCP_SESSIONS } from "../work/bounds.ts";
import { whenClosed } from "./web-http.ts";

export interface HttpLimits {
  /** Most seats of one token. A further seat ends the one that was idle longest. */
  readonly sessions: number;
  /** Milliseconds after which an idle seat ends. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: HttpLimits = { sessions: MOST_MCP_SESSIONS, idleMs: MCP_REST_MS };

/** The state of one MCP client that the daemon stores between two of its requests over HTTP. */
export interface Seat {
  readonly holder: Holder;
  /** Unfinished responses, streams of notifications included. */
  readonly open: Set<ServerResponse>;
  close(): Promise<void>;
}

/** The seats of all MCP clients over HTTP: a bounded number for a token, each until it was idle for too long. */
export class Seats {
  readonly #service: Service;
  readonly #limits: HttpLimits;
  /** The seats by id, the one that was idle longest first. */
  readonly #seats = new Map<string, Seat>();
  readonly #idleTimers = new Map<string, NodeJS.Timeout>();

  constructor(service: Service, limits: HttpLimits) {
    this.#service = service;
    this.#limits = limits;
  }

  get(id: string): Seat | undefined {
    return this.#seats.get(id);
  }

  /** Returns the ids of the seats that a holder's token began. */
  idsOf(isOne: (holder: Holder) => boolean): string[] {
    return [...this.#seats].filter(([, { holder }]) => isOne(holder)).map(([id]) => id);
  }

  add(id: string, seat: Seat, about: { readonly again?: true } = {}): void {
    this.#seats.set(id, seat);
    this.#service.log("info", "mcp.opened", { session: id, token: seat.holder.name, ...about });
  }

  /** Ends an idle seat of a token that has too many. Returns the reason if none of them is idle. */
  makeRoom(holder: Holder): string | undefined {
    const own = this.idsOf((one) => one === holder);
    if (own.length < this.#limits.sessions) return undefined;
    const idle = own.find((id) => this.#seats.get(id)?.open.size === 0);
    if (idle === undefined)
      return `The token ${holder.name} already has ${this.#limits.sessions} active sessions. End one, or try again later.`;
    void this.end(idle);
    return undefined;
  }

  /** Marks a seat as in use while this response is open. */
  track(id: string, seat: Seat, response: ServerResponse): void {
    clearTimeout(this.#idleTimers.get(id));
    seat.open.add(response);
    whenClosed(response, () => {
      seat.open.delete(response);
      if (seat.open.size > 0 || this.#seats.get(id) !== seat) return;
      this.#seats.delete(id);
      this.#seats.set(id, seat);
      this.#idleTimers.set(id, setTimeout(() => void this.end(id), this.#limits.idleMs).unref());
    });
  }

  async end(id: string): Promise<void> {
    const seat = this.#seats.get(id);
    if (seat === undefined) return;
    this.#seats.delete(id);
    clearTimeout(this.#idleTimers.get(id));
    this.#idleTimers.delete(id);
    this.#service.log("info", "mcp.closed", { session: id });
    await seat.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#seats.keys()].map((id) => this.end(id)));
  }
}
