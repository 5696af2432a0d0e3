import { Worker } from "node:worker_threads";
import type { Located } from "../../../src/client/index.ts";
import { atEnd } from "../cleanup.ts";
import { until, within } from "../until.ts";

/** The interval of a read and an edit, in milliseconds. */
const EVERY_MS = 20;
/** Milliseconds to wait at the end for requests under way. */
const LAST_MS = 30_000;

type Kind = "read" | "edit";

/** The result of a bystander. */
interface Report {
  readonly what: "ready" | "begin" | "look" | "stop";
  readonly samples: Readonly<Record<Kind, readonly number[]>>;
  /** Codes of refusals; there should be none. */
  readonly refused: readonly string[];
  readonly waiting: readonly { readonly kind: Kind; readonly ms: number }[];
  readonly open: boolean;
}

/** The outcomes of a bystander's requests during some work; times in milliseconds. */
export interface Witness {
  readonly read: readonly number[];
  readonly edit: readonly number[];
  readonly refused: readonly string[];
  /** Requests that were never answered. */
  readonly unanswered: number;
}

/** Another client, whose small reads and edits are timed. */
export class Bystander {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Connects with the owner's token; works on the document at `path`. */
  static async at({ rpc, token }: Located, path: string): Promise<Bystander> {
    const workerData = { rpc, token, path, everyMs: EVERY_MS };
    const worker = new Worker(new URL("./bystander.js", import.meta.url), { workerData });
    atEnd(() => worker.terminate());
    const bystander = new Bystander(worker);
    await within("the bystander is greeted", bystander.#told("ready"));
    return bystander;
  }

  /** Works until `deed` is done, and waits for the last answers. */
  async during<T>(deed: () => Promise<T>): Promise<{ readonly outcome: T; readonly witness: Witness }> {
    await this.#ask("begin");
    const outcome = await deed();
    await this.#ask("stop");
    const last = await until(
      "the bystander is answered",
      () => this.#ask("look"),
      ({ waiting, open }) => waiting.length === 0 || !open,
      LAST_MS,
    ).catch(() => this.#ask("look"));
    const { samples, refused, waiting } = last;
    const all = (kind: Kind) => [
      ...samples[kind],
      ...waiting.filter((one) => one.kind === kind).map(({ ms }) => ms),
    ];
    return {
      outcome,
      witness: { read: all("read"), edit: all("edit"), refused, unanswered: waiting.length },
    };
  }

  async leave(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(what: "begin" | "look" | "stop"): Promise<Report> {
    const told = this.#told(what);
    this.#worker.postMessage(what);
    return told;
  }

  #told(what: Report["what"]): Promise<Report> {
    return new Promise((told) => {
      const listen = (report: Report) => {
        if (report.what !== what) return;
        this.#worker.off("message", listen);
        told(report);
      };
      this.#worker.on("message", listen);
    });
  }
}
