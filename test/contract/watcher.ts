import { beforeEach, describe, expect, test } from "vitest";
import type { OnHint, Watcher } from "../../src/mirror/disk/watcher.ts";

interface WatcherUnderTest {
  readonly watcher: Watcher;
  /** Returns the absolute path of a name in the watched folder. */
  path(name: string): string;
  /** Saves by rename, or in place. */
  save(name: string, text: string): void;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** Removes a folder and makes it again, with a file in it. */
  makeAgain(folder: string, name: string): void;
  moveAway(folder: string): void;
  /** Resolves when `so` returns true. */
  until(so: () => boolean): Promise<void>;
}

/** The contract of every Watcher. The folders `folder`, `other`, `notes~` and `.a.swp` exist at the start; only `folder` is watched. */
export function watcherContract(name: string, open: (onHint: OnHint) => Promise<WatcherUnderTest>): void {
  describe(`${name} as a watcher`, () => {
    let hints: string[];
    let under: WatcherUnderTest;
    const heard = (name: string) => () => hints.includes(under.path(name));

    beforeEach(async () => {
      hints = [];
      under = await open((path) => hints.push(path));
      under.watcher.watch(under.path("folder"));
    });

    /** Saves again and again until a hint comes: the watch may start some time after the request. */
    async function ready(folder = "folder"): Promise<void> {
      let saves = 0;
      await under.until(() => {
        under.write(`${folder}/ready`, String(saves++));
        return heard(`${folder}/ready`)();
      });
      hints.length = 0;
    }

    test("[WA1] a file that is made, saved, written in place or removed in a watched folder is hinted at", async () => {
      await ready();
      const events: (() => void)[] = [
        () => under.write("folder/a.md", "one"),
        () => under.save("folder/a.md", "two"),
        () => under.write("folder/a.md", "three"),
        () => under.remove("folder/a.md"),
      ];
      for (const event of events) {
        hints.length = 0;
        event();
        await under.until(heard("folder/a.md"));
      }
    });

    test("[WA2] a folder that nobody asked for is not watched, nor what is in a folder's folders", async () => {
      await ready();
      under.write("other/a.md", "one");
      under.write("folder/deep/a.md", "one");
      under.write("folder/a.md", "one");
      await under.until(heard("folder/a.md"));
      expect(hints).not.toContain(under.path("other/a.md"));
      expect(hints).not.toContain(under.path("folder/deep/a.md"));
    });

    test("[WA2] the watcher watches several folders", async () => {
      under.watcher.watch(under.path("other"));
      await ready();
      await ready("other");
    });

    test.for(["notes~", ".a.swp"])(
      "[WA12] a folder with the name of an editor's file is watched: %s",
      async (folder) => {
        under.watcher.watch(under.path(folder));
        await ready(folder);
      },
    );

    test("[WA5, WA8] a folder that is removed and made again is watched on, and what is in it by then is hinted at", async () => {
      await ready();
      under.makeAgain("folder", "first.md");
      await under.until(heard("folder/first.md"));
      await ready();
    });

    test("[WA5] and so is one that takes the place of one that was moved away, or of none", async () => {
      under.watcher.watch(under.path("other/inner"));
      await ready();
      under.moveAway("folder");
      under.makeAgain("other/inner", "a.md");
      under.makeAgain("folder", "a.md");
      await under.until(() => heard("folder/a.md")() && heard("other/inner/a.md")());
      await ready("other/inner");
    });

    test("[WA10] a folder that is not watched any more brings no hints, nor do those beneath it", async () => {
      under.watcher.watch(under.path("other"));
      under.watcher.watch(under.path("folder/deep"));
      await ready("folder/deep");
      await ready("other");
      under.watcher.unwatch(under.path("folder"));
      for (const name of ["folder/a.md", "folder/deep/a.md"]) under.write(name, "one");
      hints.length = 0;
      await ready("other");
      expect(hints.filter((path) => path.includes("folder"))).toEqual([]);
    });

    test("[WA11] every change before has been hinted at once the watcher is drained", async () => {
      await ready();
      for (let i = 0; i < 40; i++) {
        under.write(`folder/${i}.md`, "one");
        await under.watcher.drained();
        expect(hints).toContain(under.path(`folder/${i}.md`));
      }
    });

    test("[WA3] nothing is hinted at once the watcher is closed", async () => {
      await ready();
      await under.watcher.close();
      hints.length = 0;
      under.write("folder/a.md", "one");
      expect(hints).toEqual([]);
    });
  });
}
