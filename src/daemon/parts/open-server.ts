import { join } from "node:path";
import { ThreadExamination } from "../../doc/examination.ts";
import { safeName } from "../../protocol/base/names.ts";
import { Rooms } from "../../protocol/loro/rooms.ts";
import type { Service } from "../../protocol/service/service.ts";
import { type Listening, listen, type ServerOptions } from "../../transport/server.ts";
import { userName } from "../../user-name.ts";
import { BrowserSignIns } from "../tokens/sign-ins.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { mcpOnDemand } from "./mcp-on-demand.ts";
import { pageFiles } from "./page-files.ts";

interface DaemonServer extends Pick<ServerOptions, "workspace" | "prove" | "health"> {
  /** The folder `.spliced`. */
  readonly state: string;
  readonly keys: Tokens;
  readonly address: Pick<ServerOptions, "host" | "port" | "preferred" | "anyPort" | "allowedHosts">;
}

/** Opens the server of a daemon. The end of each part becomes a step of `teardown`. @throws the system's error for the port */
export async function openServer(
  service: Service,
  { state, keys, address, ...options }: DaemonServer,
  teardown: (() => unknown)[],
): Promise<Listening> {
  const examination = new ThreadExamination((reason) =>
    service.log("warn", "loro.examiner_died", { reason }),
  );
  const rooms = new Rooms(service.workspace, examination);
  teardown.push(() => rooms.close());
  const mcp = mcpOnDemand(service, keys);
  const server = await listen(service, {
    ...address,
    ...options,
    rooms,
    keys,
    signIns: new BrowserSignIns(join(state, "sign-ins.json"), keys, service.log),
    page: pageFiles(),
    person: personHere(),
    mcp: mcp.handle,
  });
  teardown.push(
    () => server.close(),
    () => mcp.close(),
  );
  return server;
}

/** Returns the name for a person at the page who has given none: the user name, made safe to show. */
function personHere(): string {
  return safeName(userName() ?? "", "person");
}
