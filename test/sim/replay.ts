import { type Options, simulate } from "./simulate.ts";
import type { World } from "./world.ts";

/** Prints a run: the events in order, and the texts of file, disk replica and memory after each change of them. */
export async function show(seed: number, options: Options): Promise<void> {
  const watch = printer();
  let last: World | undefined;
  const { problems } = await simulate(seed, {
    ...options,
    watch: (world) => {
      last = world;
      watch(world);
    },
  });
  if (last !== undefined) watch(last);
  console.log(problems.length === 0 ? "every promise is kept" : problems.join("\n"));
}

function printer(): (world: World) => void {
  let printed = 0;
  let last = "";
  return (world) => {
    for (const line of folded(world.trace.slice(printed))) console.log(line);
    printed = world.trace.length;
    const { document } = world;
    const texts = [
      `      file   ${JSON.stringify(world.disk.text(world.path))}`,
      `      disk   ${JSON.stringify(document?.known().text.toString())}`,
      `      memory ${JSON.stringify(document?.text.toString())}`,
    ].join("\n");
    if (texts !== last) console.log(texts);
    last = texts;
  };
}

/** Joins a line with repetitions of it, and their number. */
function folded(lines: readonly string[]): string[] {
  const runs: { line: string; times: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.times++;
    else runs.push({ line, times: 1 });
  }
  return runs.map(({ line, times }) => (times === 1 ? line : `${line} (${times} times)`));
}
