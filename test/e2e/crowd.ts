import type { ServedFolder } from "./daemon.ts";
import { Ledger } from "./ledger.ts";
import type { Random } from "./seed.ts";
import { until } from "./until.ts";

/** Agents that edit one document until the test stops them; the ledger has the acknowledged edits. */
export interface Crowd {
  readonly ledger: Ledger;
  /** Waits until this number of further edits were acknowledged. */
  more(edits: number): Promise<unknown>;
  /** Resolves once no request is under way. @throws the refusal of an edit */
  stop(): Promise<void>;
}

const AGENTS = ["ann", "bob"];
/** Requests that each agent has under way. */
const AT_ONCE = 2;

/** Starts two agents that insert markers behind the `anchors`, each of which the document contains once. */
export async function crowd(
  daemon: ServedFolder,
  path: string,
  anchors: readonly string[],
  random: Random,
): Promise<Crowd> {
  const ledger = new Ledger();
  let going = true;
  const works = async (name: string) => {
    const client = await daemon.connect({ name });
    const one = async () => {
      while (going) {
        const marker = ledger.marker(name);
        const old = random.pick(anchors);
        const ack = random.pick(["durable", "mirrored"] as const);
        await client.request("edit.replace", { path, old, new: `${old} ${marker}`, ack });
        ledger.note(marker);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    await client.close();
  };
  const done = Promise.all(AGENTS.map(works));
  let failed: unknown;
  done.catch((error: unknown) => {
    failed = error;
  });
  const edits = () => AGENTS.reduce((sum, name) => sum + ledger.notedBy(name), 0);
  return {
    ledger,
    more(n) {
      const enough = edits() + n;
      return until(`${n} more edits`, () => failed !== undefined || edits() >= enough);
    },
    async stop() {
      going = false;
      await done;
    },
  };
}
