import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../e2e/cleanup.ts";

/** A TCP proxy whose connections a test cuts. */
export class CutProxy {
  readonly port: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #silent = false;

  private constructor(port: number) {
    this.port = port;
  }

  /** Starts a proxy to a port of this machine. */
  static async to(target: number): Promise<CutProxy> {
    const server = createServer((from) => {
      if (proxy.#silent) from.pause();
      else proxy.#join(from, connect(target, "127.0.0.1"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new CutProxy((server.address() as { port: number }).port);
    atEnd(() => {
      proxy.cut();
      server.close();
    });
    return proxy;
  }

  /** Resets all connections. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#pairs.clear();
  }

  /** Passes nothing on any more, as a network does that lost its way; connections stay open. */
  silence(): void {
    this.#silent = true;
    for (const [from, to] of this.#pairs) {
      from.unpipe();
      to.unpipe();
    }
  }

  /** Passes on what new connections send; those that were silent end. */
  speak(): void {
    this.#silent = false;
    this.cut();
  }

  #join(from: Socket, to: Socket): void {
    const pair = [from, to] as const;
    this.#pairs.add(pair);
    for (const socket of pair) socket.on("error", () => this.#part(pair)).on("close", () => this.#part(pair));
    from.pipe(to);
    to.pipe(from);
  }

  #part(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}
