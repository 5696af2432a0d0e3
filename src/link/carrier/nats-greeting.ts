import { createConnection } from "node:net";
import { CarrierError } from "./carrier.ts";
import type { NatsServer } from "./nats-options.ts";

/**
 * Resolves once a server greets. The client's package leaves a socket open when a server accepts a connection and stays
 * silent, as a stopped process does. The carrier therefore uses the package only with a server that greets.
 *
 * @throws CarrierError `away`
 */
export function greeted({ host, port }: NatsServer, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port });
    const end = (reason?: string) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", closed);
      socket.destroy();
      if (reason === undefined) resolve();
      else reject(new CarrierError("away", `${host}:${port} ${reason}`));
    };
    const timer = setTimeout(end, ms, "does not answer");
    const closed = () => end("is not awaited any more");
    signal.addEventListener("abort", closed);
    if (signal.aborted) closed();
    socket.once("data", (bytes) =>
      end(bytes.toString("latin1", 0, 4) === "INFO" ? undefined : "is no NATS server"),
    );
    socket.once("end", () => end("closed the connection"));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      end(`cannot be reached (${error.code ?? error.message})`),
    );
  });
}
