import { progress } from "./progress.ts";

/** Does `count` pieces of work, of which `window` are under way at a time. */
export async function pipeline(
  name: string,
  count: number,
  window: number,
  nth: (i: number) => Promise<unknown>,
): Promise<void> {
  let sent = 0;
  let answered = 0;
  const one = async () => {
    while (sent < count) {
      await nth(sent++);
      answered++;
      if (answered % 1000 === 0) progress(`${name}: ${answered} of ${count} edits`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, one));
}
