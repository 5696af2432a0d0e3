import { type Attack, type Ground, MB } from "../attack.ts";
import { many } from "../texts.ts";

const list = (pattern: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"doc.list","params":{"pattern":${pattern}}}`;

/** Returns the attack that sends one frame unchanged. */
function frame(name: string, made: (scaled: Ground["scaled"]) => string): Attack {
  return {
    name,
    level: "write",
    async prepare({ attacker, scaled }) {
      const one = await attacker("write");
      const sent = made(scaled);
      return () => one.raw(sent);
    },
  };
}

/** JSON that costs more work than its size suggests. */
export const frames: readonly Attack[] = [
  frame("json-brackets", (scaled) => {
    const half = scaled(20 * MB);
    return list("[".repeat(half) + "]".repeat(half));
  }),
  frame("json-pairs", (scaled) => list(`[${"[],".repeat(scaled(13 * MB))}[]]`)),
  frame("json-keys", (scaled) => list(`{${many(scaled(3 * MB), (i) => `"k${i}":1`, ",")}}`)),
];
