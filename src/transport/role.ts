import type { IncomingMessage } from "node:http";
import type { Role } from "../workspace/access/rights.ts";

/** Returns the role that a request's address names with `?role=person`; by default an agent's. */
export function roleOf({ url = "" }: IncomingMessage): Role {
  const query = new URLSearchParams(url.split("?", 2)[1] ?? "");
  return query.get("role") === "person" ? "person" : "agent";
}
