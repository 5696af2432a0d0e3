import type { Mirror } from "../../mirror/mirror.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { LaneFileRecord } from "./record.ts";

/**
 * Lets the turns of a file look at it. A look at a missing file waits for the file's fate, and a moved file gets its path in
 * a turn. So the fate stays undecided while a turn waits for a look.
 */
export class TurnLooks {
  #giveUp: (fate: Fate) => void = () => {};
  #looking = 0;

  /** Looks at the file in a turn. */
  async look(mirror: Mirror): Promise<void> {
    this.#looking++;
    this.#giveUp("undecided");
    try {
      await mirror.fresh();
    } finally {
      this.#looking--;
    }
  }

  /** Looks at a file that is back, or has another path, since the mirror took it for deleted. */
  returned(mirror: Mirror, { path, image }: Pick<LaneFileRecord, "path" | "image">): Promise<void> {
    mirror.moved(path, image);
    return this.look(mirror);
  }

  /** Finds the fate of the file, as `decide` does, unless a turn waits for it. */
  fate(decide: () => Promise<Fate>): Promise<Fate> {
    if (this.#looking > 0) return Promise.resolve("undecided");
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      decide().then(resolve, reject);
    });
  }
}
