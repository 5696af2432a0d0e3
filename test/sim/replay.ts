import { PATH, type World } from "./world.ts";

/** Prints a run as it goes: what happened, and the texts of file, disk replica and memory when they changed. */
export function printer(): (world: World) => void {
  let printed = 0;
  let last = "";
  return (world) => {
    for (const line of world.trace.slice(printed)) console.log(line);
    printed = world.trace.length;
    const { document } = world;
    const texts = [
      `      file   ${JSON.stringify(world.disk.text(PATH))}`,
      `      disk   ${JSON.stringify(document?.known().text.toString())}`,
      `      memory ${JSON.stringify(document?.text.toString())}`,
    ].join("\n");
    if (texts !== last) console.log(texts);
    last = texts;
  };
}
