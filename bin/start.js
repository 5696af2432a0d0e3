// `npm start [-- <folder>]` serves a folder, or else a playground that it copies from fixtures/workspace.
import "./prepare.js";
import { cpSync, existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const named = process.argv[2];
const folder = named === undefined ? join(root, "playground") : resolve(process.env.INIT_CWD ?? ".", named);
if (named === undefined && !existsSync(folder))
  cpSync(join(root, "fixtures", "workspace"), folder, { recursive: true });

const program = join(root, "dist", "bin", "spliced.js");
const path = relative(process.env.INIT_CWD ?? process.cwd(), folder) || ".";
// Outside this clone, npx would take the program from the registry.
const examples =
  named === undefined
    ? [`cd ${path} && npx spliced replace notes.md "Monday" "Tuesday"`, `cd ${path} && npx spliced watch`]
    : [`cd ${path} && node ${program} ls`, `cd ${path} && node ${program} watch`];
// Without the folder, the program says so.
if (existsSync(folder))
  console.log(`
Serving ${folder}

Open one of its files in your editor. In another terminal, try:

${examples.map((line) => `  ${line}`).join("\n")}
`);
process.argv.splice(1, process.argv.length, program, "run", folder);
await import(pathToFileURL(program).href);
