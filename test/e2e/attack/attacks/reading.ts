import { type Attack, MB, request } from "../attack.ts";
import { tally } from "../attacker.ts";
import { lines } from "../texts.ts";

/** Reading, comparing and listing much. */
export const reading: readonly Attack[] = [
  request("diff-different", "write", "diff.build", ({ scaled }) => ({
    original: lines(scaled(14 * MB), 4),
    updated: lines(scaled(14 * MB), 5),
  })),
  request("diff-one-line", "write", "diff.build", ({ scaled }) => {
    const original = lines(scaled(14 * MB), 4);
    const middle = original.length / 2;
    return { original, updated: `${original.slice(0, middle)}\nother\n${original.slice(middle)}` };
  }),
  {
    name: "list-many",
    level: "read",
    files: ({ scaled }) =>
      Object.fromEntries(
        Array.from({ length: scaled(100_000) }, (_, i) => [`${Math.floor(i / 500)}/${i}.md`, "x\n"]),
      ),
    async prepare({ attacker, at }) {
      const one = await attacker("read");
      return async () =>
        tally(
          await Promise.all(Array.from({ length: 4 }, () => one.verdict("doc.list", { pattern: at("**") }))),
        );
    },
  },
  {
    name: "reads-unread",
    level: "read",
    files: ({ scaled }) => ({ "long.md": lines(scaled(15 * MB), 6) }),
    async prepare({ attacker, at, scaled }) {
      const one = await attacker("read");
      return async () => {
        one.ws.pause();
        const answers = Array.from({ length: 64 }, () => one.verdict("doc.read", { path: at("long.md") }));
        // A connection pauses before it reads its answers.
        setTimeout(() => one.ws.resume(), Math.max(300, scaled(3_000)));
        return tally(await Promise.all(answers));
      };
    },
  },
  {
    name: "subscriptions",
    level: "read",
    async prepare({ attacker, scaled }) {
      const one = await attacker("read");
      return async () =>
        tally(
          await Promise.all(
            Array.from({ length: scaled(20_000) }, (_, i) =>
              one.verdict("subscribe", { pattern: `nowhere/${i}*` }),
            ),
          ),
        );
    },
  },
];
