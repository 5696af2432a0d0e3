import * as z from "zod";
import type { Clock } from "../../mirror/clock.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type Elsewhere, NOTHING_PASSES, type Passing } from "../../workspace/document/elsewhere.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { packer } from "../base/packing.ts";
import type { Carrier } from "../carrier/carrier.ts";
import { whereReachable } from "../carrier/reach.ts";
import type { Sealer } from "../members/sealer.ts";
import type { LinkState } from "../state/link-state.ts";

/**
 * The time until a machine reports a change of its clients and answers, and the time between two repetitions;
 * milliseconds.
 */
const SOON_MS = 100;
const REPEAT_MS = 2_000;
/** The time without a word after which a machine has no clients and no answers; milliseconds. */
const AWAY_MS = 5 * REPEAT_MS;
/** The most clients and answers of one machine. */
const MOST = 500;

const id = z.string().max(200);
const name = z.string().max(256);
const position = z.int().min(0);
const passingSchema = z.object({
  present: z
    .array(
      z.object({
        session: id,
        name,
        agent: name,
        docId: id,
        selection: z
          .object({ from: position, to: position })
          .refine(({ from, to }) => from <= to)
          .optional(),
      }),
    )
    .max(MOST),
  answering: z
    .array(
      z.object({ thread: id, messageId: id, author: name, agent: name, kind: z.enum(["agent", "person"]) }),
    )
    .max(MOST),
});

interface PassingParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly carrier: Carrier;
  readonly sealer: Sealer;
  readonly isConnected: () => boolean;
}

/**
 * The words with which machines report their clients in documents and their answers under way. Each next word repeats a
 * lost one.
 */
export class PassingWords {
  readonly #parts: PassingParts;
  readonly #clock: Clock;
  readonly #elsewhere: Elsewhere;
  readonly #heard = new Map<string, number>();
  #isDue = false;
  #saidSomething = false;

  constructor(parts: PassingParts) {
    this.#parts = parts;
    this.#clock = parts.workspace.ports.clock;
    this.#elsewhere = parts.workspace.shared.elsewhere;
  }

  /** Sends words until the signal aborts; then removes the clients and answers of all other machines. */
  async run(signal: AbortSignal): Promise<void> {
    const [elsewhere, clock] = [this.#elsewhere, this.#clock];
    elsewhere.changed = () => {
      if (this.#isDue || signal.aborted) return;
      this.#isDue = true;
      void clock.sleep(SOON_MS, signal).then(() => {
        this.#isDue = false;
        if (!signal.aborted) void this.#say();
      });
    };
    while (!signal.aborted) {
      await clock.sleep(REPEAT_MS, signal);
      for (const [machine, at] of this.#heard)
        if (signal.aborted || clock.elapsed() - at >= AWAY_MS) this.#gone(machine);
      if (!signal.aborted) await this.#say();
    }
    elsewhere.changed = () => {};
  }

  /** Receives a decoded word of a known machine; returns false for a word of another kind. */
  take(machine: string, value: object): boolean {
    const { sealer } = this.#parts;
    // The check of the schema costs most where it fails.
    const said = "present" in value ? passingSchema.safeParse(value).data : undefined;
    if (said === undefined) return false;
    if (machine === sealer.machine) return true;
    this.#heard.set(machine, this.#clock.elapsed());
    const present = said.present.filter(({ docId }) => this.#isAllowed(machine, docId));
    const answering = said.answering.filter(({ thread }) => this.#maySee(machine, thread));
    this.#elsewhere.set(sealer.nameOf(machine), { present, answering });
    return true;
  }

  #isAllowed(machine: string, docId: string): boolean {
    const { sealer, state } = this.#parts;
    const path = state.document(docId)?.name.path;
    return path !== undefined && sealer.mayRead(machine, path) && sealer.mayRead(sealer.machine, path);
  }

  /** Returns true for a thread that a machine may see; also for one that is not here, which nobody answers here. */
  #maySee(machine: string, thread: string): boolean {
    const { sealer, workspace } = this.#parts;
    const about = workspace.shared.of("thread")?.about(thread);
    return (
      about === undefined ||
      (about.docs.every((doc) => this.#isAllowed(machine, doc)) &&
        about.places.every((path) => sealer.mayRead(machine, path as DocPath)))
    );
  }

  #gone(machine: string): void {
    this.#heard.delete(machine);
    this.#elsewhere.set(this.#parts.sealer.nameOf(machine), NOTHING_PASSES);
  }

  async #say(): Promise<void> {
    const { carrier, sealer, isConnected } = this.#parts;
    const { present, answering } = this.#elsewhere.here;
    const isSomething = present.length + answering.length > 0;
    if (!isConnected() || (!isSomething && !this.#saidSomething)) return;
    this.#saidSomething = isSomething;
    const word: Passing = { present: present.slice(0, MOST), answering: answering.slice(0, MOST) };
    await whereReachable(() => carrier.say(sealer.machine, sealer.seal(0, packer.encode(word))));
  }
}
