import { Seeded } from "../../../helpers/seeded.ts";
import { loroPeer } from "../../loro-peer.ts";
import { until } from "../../until.ts";
import { type Attack, MB } from "../attack.ts";
import { Attacker, tally } from "../attacker.ts";
import { lines } from "../texts.ts";

/** What comes through other doors, or in great number. */
export const others: readonly Attack[] = [
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
    level: "read",
    async prepare({ attacker, scaled }) {
      const one = await attacker("read");
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
];
