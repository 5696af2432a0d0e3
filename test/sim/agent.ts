import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { countChars } from "../../src/text/positions.ts";
import type { Text } from "../../src/text/text.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import type { EditRequest } from "../../src/workspace/edits/request.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { planPatch } from "../../src/workspace/planners/patch.ts";
import type { Planner } from "../../src/workspace/planners/plan.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import { Seeded } from "../helpers/seeded.ts";
import { apply, change, insertion, word } from "./prose.ts";
import { elsewhere } from "./workers.ts";
import type { World } from "./world.ts";

const KINDS = ["splice", "replace", "append", "write", "patch"] as const;
/** The most edits that one agent has under way. */
const AT_ONCE = 2;

/** The fate of a request and its answer on the wire. */
const WIRE = [
  [90, "answered"],
  [4, "request lost"],
  [6, "answer lost"],
] as const;

interface Sent {
  readonly mark: string;
  readonly request: EditRequest;
}

/** A text that an agent's edit made, and the place behind what it inserted. */
interface Typed {
  readonly version: string;
  readonly text: Text;
  readonly at: number;
}

/** An agent that edits through the daemon, sometimes from an old reading, and repeats lost requests. */
export class Agent {
  readonly #world: World;
  readonly #actor: Actor;
  #seen: { readonly version: string; readonly text: Text } | undefined;
  #typed: Typed | undefined;
  #lost: Sent[] = [];
  #sent = 0;
  #running = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#actor = { name, agent: `owner/${name}`, rights: FULL_RIGHTS };
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  turn(): void {
    if (this.#world.process === undefined || this.#running >= AT_ONCE) return;
    const { random } = this.#world;
    const again = this.#lost.pop();
    if (again !== undefined) this.#send(again, "again");
    else if (random.chance(0.2)) void this.#read();
    else if (this.#typed !== undefined && random.chance(0.5)) this.#send(this.#type(this.#typed), "types");
    else this.#send(this.#edit(), "edits");
  }

  async #read(): Promise<void> {
    const { process } = this.#world;
    const document = await process?.workspace.open(this.#world.path);
    if (document === undefined || isRefusal(document) || !process?.alive) return;
    this.#seen = { version: document.version, text: document.text };
  }

  #edit(): Sent {
    const { random, ledger } = this.#world;
    const mark = ledger.open(this.#actor.name, random);
    const kind = random.pick(KINDS);
    const based = this.#seen !== undefined && random.chance(0.6);
    const request: EditRequest = {
      kind,
      path: this.#world.path,
      plan: this.#plan(kind, mark, based ? this.#seen?.text : undefined),
      ...(based && { version: this.#seen?.version }),
      ack: random.pick(["mirrored", "durable"]),
      ...(random.chance(0.7) && { opId: `op-${this.#sent++}` }),
    };
    return { mark, request };
  }

  /** Returns an edit that goes on where the agent's last one ended. */
  #type({ version, text, at }: Typed): Sent {
    const { random, ledger, workers } = this.#world;
    const mark = ledger.open(this.#actor.name, random);
    const plan: Planner = (base) => {
      if (!text.equals(base.text)) this.#world.wrong("another base than named");
      return planSplice([{ from: at, to: at, insert: word(mark) }], "utf-32")(base);
    };
    const request: EditRequest = {
      kind: "splice",
      path: this.#world.path,
      plan: workers ? elsewhere(plan) : plan,
      version,
      ack: "durable",
      ...(random.chance(0.7) && { opId: `op-${this.#sent++}` }),
    };
    return { mark, request };
  }

  /** Returns the same plan at each call; the text must be the one that the agent read. */
  #plan(kind: (typeof KINDS)[number], mark: string, expected: Text | undefined): Planner {
    const seed = this.#world.random.word();
    const plan: Planner = (base) => {
      if (expected !== undefined && !expected.equals(base.text)) this.#world.wrong("another base than named");
      const random = new Seeded(seed);
      const text = base.text.toString();
      const splice = change(random, text, mark);
      const next = apply(text, splice);
      switch (kind) {
        case "splice":
          return planSplice([splice], "utf-32")(base);
        case "append":
          return planAppend(insertion(random, mark))(base);
        case "write":
          return planWrite(next)(base);
        case "patch":
          return planPatch(unifiedDiff(text, next, { from: "a", to: "b" }))(base);
        case "replace": {
          const around = { from: Math.max(0, splice.from - 4), to: splice.to };
          const old = Array.from(text).slice(around.from, around.to).join("");
          const kept = Array.from(text).slice(around.from, splice.from).join("");
          return planReplace(old, kept + splice.insert, random.pick(["unique", "first"]))(base);
        }
      }
    };
    return this.#world.workers ? elsewhere(plan) : plan;
  }

  #send(sent: Sent, how: string): void {
    const { request, mark } = sent;
    const { world, actor } = { world: this.#world, actor: this.#actor };
    const who = `${actor.name} ${request.opId ?? ""}`;
    world.say(`${who} ${how} ${mark} ${request.kind} ${request.ack} ${request.version ?? ""}`);
    world.ledger.close(mark, "open");
    this.#running++;
    this.#attempt(sent, who).catch((error: unknown) => {
      world.wrong(`${who} threw ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  async #attempt(sent: Sent, who: string): Promise<void> {
    const world = this.#world;
    const process = world.process!;
    const wire = world.weighted(WIRE);
    if (wire === "request lost") {
      this.#running--;
      return this.#unanswered(sent, who, wire);
    }
    const answer = process.editor.edit(this.#actor, sent.request).finally(() => this.#running--);
    if (wire === "answer lost") this.#unanswered(sent, who, wire);
    const outcome = await answer;
    if (wire === "answer lost") return;
    if (!process.alive) return this.#unanswered(sent, who, "the daemon died");
    if (isRefusal(outcome)) {
      world.say(`${who} refused ${outcome.code} ${outcome.message}`);
      if (outcome.code === "CONFIRMATION_REQUIRED" && this.#confirm(sent, outcome.details["patch_id"]))
        return;
      world.ledger.close(sent.mark, "refused");
      // The refusal advises this: nothing was changed, so the agent sends the same edit once more.
      const unstored = outcome.code === "STORAGE_FULL" || outcome.code === "INTERNAL";
      if (unstored && world.random.chance(0.5)) this.#lost.push(sent);
      return;
    }
    world.say(`${who} done ${outcome.version} ${outcome.mirrored ? "mirrored" : ""}`);
    if (outcome.changeId === null) world.wrong(`${who} was answered that there is nothing to change`);
    if (outcome.mirrored && !world.everHeld(sent.mark))
      world.wrong(`${who} is not in the file as it was told`);
    world.ledger.close(sent.mark, "kept");
    if (outcome.changeId !== null) world.made.push({ changeId: outcome.changeId, mark: sent.mark });
    for (const overlap of outcome.conflicts) world.ledger.contest(outcome.base, overlap);
    // A repeated answer has no splices while the document cannot be opened, so the agent knows no text of the version.
    const [splice] = outcome.splices;
    const made = splice && { version: outcome.version, text: outcome.before.splice(outcome.splices) };
    this.#typed = made && { ...made, at: splice.from + countChars(splice.insert) };
    if (world.random.chance(0.5) && made !== undefined) this.#seen = made;
  }

  /** Handles an edit without an answer: the agent repeats it if it has an opId. */
  #unanswered(sent: Sent, who: string, why: string): void {
    this.#world.say(`${who} hears nothing: ${why}`);
    if (sent.request.opId !== undefined && this.#world.random.chance(0.8)) this.#lost.push(sent);
  }

  /** Sends a previewed patch again, as confirmed. */
  #confirm({ mark, request }: Sent, confirm: unknown): boolean {
    if (typeof confirm !== "string" || request.confirm !== undefined) return false;
    this.#send({ mark, request: { ...request, confirm } }, "confirms");
    return true;
  }
}
