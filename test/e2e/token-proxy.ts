import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Located } from "../../src/client/index.ts";
import { atEnd } from "./cleanup.ts";

/** Serves a daemon's port under another one, with its token, to a client that cannot send one. Returns the address. */
export async function withToken({ url, token }: Located): Promise<string> {
  const to = new URL(url);
  const server = createServer((asked, answer) => {
    const headers: IncomingHttpHeaders = { ...asked.headers, authorization: `Bearer ${token}` };
    const own = `:${(server.address() as AddressInfo).port}`;
    // What names the proxy names the daemon; other hosts and origins stay what they are.
    for (const name of ["host", "origin"] as const) {
      const value = headers[name];
      if (value?.endsWith(own)) headers[name] = `${value.slice(0, -own.length)}:${to.port}`;
    }
    const { method, url: path } = asked;
    const passed = request({ host: to.hostname, port: to.port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
