import { KeySet, SoughtKey } from "../format/key-set.ts";
import { type AnswerPack, answerPackOf, answersIn, keyOf } from "../format/packed-answers.ts";
import type { AnswerRecord } from "../store.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { Tables } from "./tables.ts";
import type { RecordWrite } from "./write.ts";

/** The fewest answers that are worth a pack, and the most that a pack has: plain ones fill two pages of the database. */
const WORTH_PACKING = 64;
const MOST_PACKED = 3700;
/** A pack takes in the one before it if that has at most so many times its answers. */
const JOINED = 4;

type PackHead = Pick<AnswerPack, "size" | "newest"> & { readonly key: number; readonly keys: KeySet };

/**
 * Owns the answers to calls with an `opId`. New ones are records, and stay in memory until they are packed. Older ones
 * are in packs, each of which has its keys in memory in a short form. So most calls, whose answers nobody gave yet, read nothing.
 */
export class LmdbAnswers {
  readonly #tables: Pick<Tables, "answers" | "answerPacks">;
  /** Oldest first. A pack that is being written is among them already, and one that is being removed still is. */
  #heads: PackHead[] | undefined;
  /** The durable answers that are in no pack, by their keys, oldest first. */
  #alone: Map<string, AnswerRecord> | undefined;
  /** The keys of answers that are being written. */
  readonly #underWay = new Map<string, number>();
  #decoded: { readonly key: number; readonly answers: ReadonlyMap<string, AnswerRecord> } | undefined;

  constructor(tables: Pick<Tables, "answers" | "answerPacks">) {
    this.#tables = tables;
  }

  get(agent: string, opId: string): AnswerRecord | undefined {
    const key = keyOf({ agent, opId });
    const alone = this.#unpacked().get(key);
    if (alone !== undefined) return alone;
    const heads = this.#known();
    if (heads.length === 0) return undefined;
    const sought = new SoughtKey(key);
    for (let i = heads.length - 1; i >= 0; i--) {
      const { keys, key: place } = heads[i]!;
      const found = keys.mayHave(sought) ? this.#answersOf(place).get(key) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  put(answer: AnswerRecord): RecordWrite[] {
    return [this.#tables.answers.put([answer.agent, answer.opId], answer)];
  }

  /** Follows an answer that is being written, and returns `written`. Whoever waits for that finds the answer. */
  follow(answer: AnswerRecord, written: Promise<void>): Promise<void> {
    const key = keyOf(answer);
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    const ended = () => {
      const left = this.#underWay.get(key)! - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
    };
    written.then(() => {
      this.#alone?.set(key, answer);
      ended();
    }, ended);
    return written;
  }

  /** Moves answers into packs until few are left, one pack a turn (I14). */
  async pack(writer: GroupWriter): Promise<void> {
    while (await this.#packSome(writer));
  }

  /** Makes one pack, and joins small packs with it, which are neighbours in time. Returns false for too few answers. */
  async #packSome(writer: GroupWriter): Promise<boolean> {
    const alone: [string, AnswerRecord][] = [];
    for (const [key, answer] of this.#unpacked()) {
      if (alone.length === MOST_PACKED) break;
      // Another answer may be on its way to the place of one that was given before.
      if (!this.#underWay.has(key)) alone.push([key, answer]);
    }
    if (alone.length < WORTH_PACKING) return false;
    const joined = this.#joinedBy(alone.length);
    alone.splice(joined.reduce((room, { size }) => room - size, MOST_PACKED));
    let packed = alone.map(([, answer]) => answer).sort((a, b) => a.time - b.time);
    for (const { key } of joined) {
      const newer = new Set(packed.map(keyOf));
      packed = [...[...this.#answersOf(key).values()].filter((one) => !newer.has(keyOf(one))), ...packed];
    }
    const key = (this.#known().at(-1)?.key ?? 0) + 1;
    const pack = answerPackOf(packed);
    this.#known().push(headOf(key, pack));
    await writer.write(() => [
      this.#tables.answerPacks.put(nameOf(key), pack),
      ...joined.map((one) => this.#tables.answerPacks.remove(nameOf(one.key))),
      ...this.#removals(alone),
    ]);
    this.#leave(alone);
    this.#heads = this.#known().filter((one) => !joined.includes(one));
    return true;
  }

  /** Returns the packs, newest first, that some more answers fill: few packs then end within a page of the database. */
  #joinedBy(answers: number): PackHead[] {
    const joined: PackHead[] = [];
    let size = 0;
    for (const head of [...this.#known()].reverse()) {
      if (head.size > JOINED * (answers + size) || head.size + size >= MOST_PACKED) break;
      joined.push(head);
      size += head.size;
    }
    return joined;
  }

  /** Drops answers older than `before`, but not the newest `keep`; an answer in a pack goes with the whole pack. */
  async forget(writer: GroupWriter, before: number, keep: number): Promise<void> {
    const alone = [...this.#unpacked()].sort(([, a], [, b]) => b.time - a.time);
    const old = alone.slice(keep).filter(([, { time }]) => time < before);
    const dropped: PackHead[] = [];
    let newer = alone.length;
    for (const head of [...this.#known()].reverse()) {
      if (newer >= keep && head.newest < before) dropped.push(head);
      newer += head.size;
    }
    await writer.write(() => [
      ...this.#removals(old),
      ...dropped.map(({ key }) => this.#tables.answerPacks.remove(nameOf(key))),
    ]);
    this.#leave(old);
    this.#heads = this.#known().filter((head) => !dropped.includes(head));
  }

  #unpacked(): Map<string, AnswerRecord> {
    this.#alone ??= new Map(Array.from(this.#tables.answers.range(), ({ value }) => [keyOf(value), value]));
    return this.#alone;
  }

  #removals(answers: readonly (readonly [string, AnswerRecord])[]): RecordWrite[] {
    return answers.map(([, { agent, opId }]) => this.#tables.answers.remove([agent, opId]));
  }

  /** Lets answers leave memory, except where a later one has taken their place. */
  #leave(answers: readonly (readonly [string, AnswerRecord])[]): void {
    for (const [key, answer] of answers) if (this.#alone?.get(key) === answer) this.#alone.delete(key);
  }

  #known(): PackHead[] {
    this.#heads ??= Array.from(this.#tables.answerPacks.range(), ({ key, value }) =>
      headOf(Number(key), value),
    );
    return this.#heads;
  }

  #answersOf(key: number): ReadonlyMap<string, AnswerRecord> {
    if (this.#decoded?.key === key) return this.#decoded.answers;
    const pack = this.#tables.answerPacks.get(nameOf(key));
    if (pack === undefined) return new Map();
    this.#decoded = { key, answers: new Map(answersIn(pack).map((answer) => [keyOf(answer), answer])) };
    return this.#decoded.answers;
  }
}

/** Returns the part of a pack that stays in memory. */
function headOf(key: number, pack: AnswerPack): PackHead {
  return { key, size: pack.size, newest: pack.newest, keys: new KeySet(pack) };
}

/** Returns the key of a pack in the database, in the order of the numbers. */
function nameOf(key: number): string {
  return String(key).padStart(15, "0");
}
