// Preloaded with --import: writes the files that a process loads as modules to the file that `?to=` names, one a line.
// It writes required files when the process ends. Plain JavaScript, because it runs in the built program's process.
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";

const to = new URL(import.meta.url).searchParams.get("to");

register(
  `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(to)}, url + "\\n");
    return next(url, context);
  }
`)}`,
);
process.on("exit", () =>
  appendFileSync(to, `${Object.keys(createRequire(import.meta.url).cache).join("\n")}\n`),
);
