import { apply, changeOfFile, insertion } from "./prose.ts";
import type { World } from "./world.ts";

/** The longest time of a write in two steps, shorter than the mirror's settle time; milliseconds. */
const TORN_MS = 9;

/** A name outside the workspace. */
const ELSEWHERE = "../linked.md";

const KINDS = [
  [6, "save"],
  [5, "write"],
  [3, "tear"],
  [2, "append"],
  [1, "again"],
  [1, "touch"],
  [1, "delete"],
  [0.7, "rename"],
  [0.5, "link"],
] as const;

/**
 * A person with an editor, who reads, changes and saves at once. From that moment the daemon must not lose the save.
 */
export class Person {
  readonly #world: World;
  /** The content of the file when the person deleted it. */
  #deleted: string | undefined;
  /** The save under way; no other starts before it ends. */
  #tearing = false;

  constructor(world: World) {
    this.#world = world;
  }

  turn(): void {
    if (this.#tearing || !this.#world.settled()) return;
    if ((this.#deleted ?? this.#world.lost) !== undefined) this.recreate();
    else this.#do(this.#world.weighted(KINDS));
  }

  #do(kind: (typeof KINDS)[number][1]): void {
    const { disk, path, say, requests, ledger } = this.#world;
    say(`person: ${kind}`);
    const text = disk.read(path) ?? "";
    switch (kind) {
      case "save":
      case "write":
        this.#edited(text, (next) => disk[kind](path, next));
        break;
      case "append":
        this.#appended();
        break;
      case "tear":
        this.#torn(text);
        break;
      case "again":
        disk.save(path, text);
        break;
      case "touch":
        disk.touch(path);
        break;
      case "delete":
        this.#deleted = text;
        // An agent may restore the file as the daemon knows it.
        if (requests) for (const mark of ledger.marksIn(text)) ledger.takeOut(mark);
        disk.remove(path);
        break;
      case "rename":
        // A restoration would bring the file back beside the renamed one.
        if (this.#world.restorations === 0) this.#world.rename();
        break;
      case "link":
        if (this.#world.links) disk.hardLink(path, ELSEWHERE);
        break;
    }
  }

  /** Puts the file back, changed, if it was deleted. */
  recreate(): void {
    const { random, disk, path } = this.#world;
    // Another agent may have deleted the file, or restored it.
    if (this.#world.requests) this.#deleted = this.#world.lost;
    if (this.#deleted === undefined) return;
    const text = this.#deleted;
    this.#deleted = undefined;
    this.#world.say("person: recreate");
    if (random.chance(0.5)) this.#edited(text, (next) => disk.save(path, next));
    else {
      disk.write(path, "");
      this.#torn(text);
    }
  }

  #edited(text: string, save: (next: string) => void): void {
    const { ledger, random } = this.#world;
    const mark = ledger.open("person", random);
    const next = apply(text, changeOfFile(random, text, mark));
    this.#world.stale.seen();
    save(next);
    ledger.close(mark, "kept");
  }

  #appended(): void {
    const { ledger, random, disk, path } = this.#world;
    const mark = ledger.open("person", random);
    this.#world.stale.seen();
    disk.append(path, `log ${insertion(random, mark)}\n`);
    ledger.close(mark, "kept");
  }

  #torn(text: string): void {
    const { ledger, random, disk, path, clock } = this.#world;
    const mark = ledger.open("person", random);
    this.#world.stale.seen();
    const next = apply(text, changeOfFile(random, text, mark));
    const finish = disk.tear(path, next, random.int(Buffer.byteLength(next)));
    const { deletions } = this.#world;
    this.#tearing = true;
    clock.after(random.between(1, TORN_MS), () => {
      this.#world.say("person: the rest");
      this.#tearing = false;
      finish();
      if (deletions === this.#world.deletions) ledger.close(mark, "kept");
    });
  }
}
