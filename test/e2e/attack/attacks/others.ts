import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Seeded } from "../../../helpers/seeded.ts";
import { loroPeer } from "../../loro-peer.ts";
import { until } from "../../until.ts";
import { type Attack, MB } from "../attack.ts";
import { Attacker, tally } from "../attacker.ts";
import { lines } from "../texts.ts";

/** Milliseconds without an attack, which show the speed of the other clients alone. */
const NOTHING_MS = 3_000;
/** The shortest time in which the other client sends some requests. */
const LEAST_MS = 300;
/** Milliseconds for which silent sockets stay open. */
const SILENT_MS = 1_000;
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "many", version: "1" } },
});

/** Attacks over other addresses, or with many connections. */
export const others: readonly Attack[] = [
  {
    name: "nothing",
    level: "none",
    prepare:
      async ({ scaled }) =>
      async () => {
        await pause(Math.max(LEAST_MS, scaled(NOTHING_MS)));
        return "ok";
      },
  },
  {
    name: "loro-scattered",
    level: "write",
    files: ({ scaled }) => ({ "long.md": lines(scaled(MB), 7) }),
    async prepare({ daemon, token, attacker, scaled, at }) {
      const path = at("long.md");
      const joined = await loroPeer(daemon.located, await token("write")).join(path);
      const one = await attacker("read");
      const version = async () => (await one.ask("doc.open", { path }))?.result?.["version"];
      const before = await version();
      const random = new Seeded(8);
      return async () => {
        joined.edit((text) => {
          for (let i = 0; i < scaled(90_000); i++) text.insert(random.int(text.length), "x");
        });
        const taken = async () => joined.refused.length > 0 || (await version()) !== before;
        await until("the update is answered", taken, Boolean, 60_000);
        return joined.refused.length === 0 ? "ok" : "refused";
      };
    },
  },
  {
    name: "thread-flood",
    level: "write",
    async prepare({ attacker, scaled }) {
      const one = await attacker("write");
      const text = "m".repeat(scaled(20 * MB));
      return async () => {
        const verdicts: string[] = [];
        for (let i = 0; i < 10; i++)
          verdicts.push(await one.verdict("thread.append", { bundle: "b", role: "user", text }));
        return tally(verdicts);
      };
    },
  },
  {
    name: "connections",
    level: "read",
    async prepare({ daemon, token, scaled }) {
      const { rpc } = daemon.located;
      const reader = await token("read");
      return async () => {
        const come = Array.from({ length: scaled(600) }, () =>
          Attacker.with(rpc, reader).then(
            () => "ok",
            () => "turned away",
          ),
        );
        return tally(await Promise.all(come));
      };
    },
  },
  {
    name: "sockets-silent",
    level: "none",
    async prepare({ daemon, scaled }) {
      const { hostname, port } = new URL(daemon.located.url);
      return async () => {
        const sockets = Array.from({ length: scaled(600) }, () => connect(Number(port), hostname));
        for (const socket of sockets) socket.on("error", () => undefined); // the daemon may close it
        await pause(SILENT_MS);
        for (const socket of sockets) socket.destroy();
        return "ok";
      };
    },
  },
  {
    name: "mcp-sessions",
    level: "read",
    async prepare({ daemon, token, scaled }) {
      const headers = {
        authorization: `Bearer ${await token("read")}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const begin = async () => {
        const response = await fetch(`${daemon.located.url}/mcp`, {
          method: "POST",
          headers,
          body: INITIALIZE,
        });
        await response.text();
        return response.ok
          ? "ok"
          : response.status === 503 || response.status === 429
            ? "OVERLOADED"
            : `status ${response.status}`;
      };
      return async () => tally(await Promise.all(Array.from({ length: scaled(200) }, begin)));
    },
  },
];
