import type { ServerResponse } from "node:http";
import { createMcpHandler, InMemoryServerEventBus, type McpHttpHandler } from "@modelcontextprotocol/server";
import { safeName } from "../protocol/base/names.ts";
import type { Holder, Service } from "../protocol/service/service.ts";
import { clientIn, type ListenFilter, listenFilterIn } from "./envelope.ts";
import { inProcessCaller } from "./in-process.ts";
import { refuse } from "./refuse.ts";
import { ResourceNotifier } from "./resource-notifier.ts";
import { Resources } from "./resources.ts";
import type { HttpLimits, Seat, Seats } from "./seats.ts";
import { McpSession } from "./session.ts";
import { sendWeb, whenClosed } from "./web-http.ts";

/** Serves the requests of version 2026-07-28, which belong to no session. A server is made for each of them. */
export class StatelessRequests {
  readonly #service: Service;
  readonly #seats: Seats;
  readonly #limits: HttpLimits;
  /** The number of open streams of notifications, by token. */
  readonly #streams = new Map<Holder, number>();

  constructor(service: Service, seats: Seats, limits: HttpLimits) {
    this.#service = service;
    this.#seats = seats;
    this.#limits = limits;
  }

  /** Answers a request whose body has been read. */
  async answer(request: Request, body: unknown, response: ServerResponse, holder: Holder): Promise<void> {
    const name = safeName(clientIn(body), "mcp");
    const id = `${holder.name}/${name}`;
    const guest = this.#guest(id, name, holder);
    if (typeof guest === "string") return refuse(response, 503, -32000, guest);
    this.#seats.track(id, guest, response);
    const filter = listenFilterIn(body);
    if (filter !== undefined && !this.#takeStream(holder, response))
      return refuse(
        response,
        503,
        -32000,
        `The token ${holder.name} already has ${this.#limits.sessions} streams of notifications. Close one first.`,
      );
    const bus = filter && (await this.#changes(holder, name, filter, response));
    const handler = createMcpHandler(() => guest.session.server("modern"), {
      legacy: "reject",
      ...(bus && { bus }),
    });
    guest.handlers.add(handler);
    whenClosed(response, () => {
      guest.handlers.delete(handler);
      void handler.close();
    });
    await sendWeb(await handler.fetch(request, { parsedBody: body }), response);
  }

  /** Returns the stored state of a client, by its token and name; a reason if there is no room for it. */
  #guest(id: string, name: string, holder: Holder): Guest | string {
    const known = this.#seats.get(id);
    if (known instanceof Guest && known.holder === holder) return known;
    if (known !== undefined) void this.#seats.end(id);
    const noRoom = this.#seats.makeRoom(holder);
    if (noRoom !== undefined) return noRoom;
    const guest = new Guest(this.#service, holder, name);
    this.#seats.add(id, guest);
    return guest;
  }

  #takeStream(holder: Holder, response: ServerResponse): boolean {
    const open = this.#streams.get(holder) ?? 0;
    if (open >= this.#limits.sessions) return false;
    this.#streams.set(holder, open + 1);
    whenClosed(response, () => {
      const left = this.#streams.get(holder)! - 1;
      if (left === 0) this.#streams.delete(holder);
      else this.#streams.set(holder, left);
    });
    return true;
  }

  /** Returns the source of one stream's notifications. It has the rights of the token that asked for the stream. */
  async #changes(
    holder: Holder,
    name: string,
    filter: ListenFilter,
    response: ServerResponse,
  ): Promise<InMemoryServerEventBus> {
    const bus = new InMemoryServerEventBus();
    const notifier = new ResourceNotifier({
      ready: () => !response.writableNeedDrain,
      updated: async (uri) => bus.publish({ kind: "resource_updated", uri }),
      listChanged: async () => bus.publish({ kind: "resources_list_changed" }),
    });
    const caller = inProcessCaller(this.#service, holder, name, { lasting: false });
    whenClosed(response, () => {
      notifier.close();
      caller.close();
    });
    await new Resources(caller, notifier).listen(filter);
    return bus;
  }
}

/** A client without a session: its seen versions, its own edits for `undo`, and the order of its calls. */
class Guest implements Seat {
  readonly holder: Holder;
  readonly open = new Set<ServerResponse>();
  readonly session: McpSession;
  /** The handlers of unfinished requests. */
  readonly handlers = new Set<McpHttpHandler>();

  constructor(service: Service, holder: Holder, name: string) {
    this.holder = holder;
    this.session = new McpSession({
      version: service.serverVersion,
      agent: name,
      open: (agent) => inProcessCaller(service, holder, agent, { isLive: () => this.open.size > 0 }),
      namesVersions: true,
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.handlers].map((handler) => handler.close()));
    await this.session.close();
  }
}
