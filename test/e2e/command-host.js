// Runs one command of `spliced` after another in this process, which has loaded the program already. The program's
// entry file is evaluated anew for each command, with the arguments, the folder and the variables of that command.

import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";

const program = process.argv[2];
const require = createRequire(import.meta.url);

process.on("message", async ({ cwd, args, env, input }) => {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    const write = (chunk, _encoding, done) => {
      printed[name] += chunk.toString();
      done();
    };
    Object.defineProperty(process, name, { configurable: true, value: new Writable({ write }) });
  }
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([input]) });
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(1, process.argv.length, program, ...args);
  process.exitCode = undefined;
  delete require.cache[program];
  await require(program).ended;
  process.send({ code: process.exitCode ?? 0, out: printed.stdout, err: printed.stderr });
});
process.on("disconnect", () => process.exit());
