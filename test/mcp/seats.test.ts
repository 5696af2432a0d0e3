import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Seat, Seats } from "../../src/mcp/seats.ts";
import { Bench } from "../workspace/harness.ts";
import { OWNER, serviceOf } from "./mcp-workspace.ts";

test("[MC11] a client that left before the daemon answers leaves its seat idle", async () => {
  const seats = new Seats(serviceOf(new Bench({})), { sessions: 1, idleMs: 10 });
  let ended = false;
  const close = async () => {
    ended = true;
  };
  const seat: Seat = { holder: OWNER, open: new Set(), close };
  seats.add("one", seat);
  const response = await closedResponse();
  seats.track("one", seat, response);
  expect(seat.open.size).toBe(0);
  await expect.poll(() => ended).toBe(true);
  expect(seats.get("one")).toBeUndefined();
});

/** Returns the response to a client that has gone. */
async function closedResponse(): Promise<ServerResponse> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  client.destroy();
  await once(response, "close");
  return response;
}
