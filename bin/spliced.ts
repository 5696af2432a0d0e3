#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";
import { traceSources } from "../src/stack-traces.ts";

/** A function of Node 22.1 and newer: stores what Node compiles, so that the next start need not compile it again. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// An update or a build replaces this folder with the program, so that it never grows. Where it cannot be written, Node
// goes on without it.
enableCompileCache?.(fileURLToPath(new URL("compiled", import.meta.url)));
traceSources();

/** Resolves when the command has ended. */
export const ended = run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<void> {
  const [command, client, ...flags] = args;
  // Agents wait for their hooks, so a hook loads nothing else.
  if (
    command === "hook" &&
    client?.startsWith("-") === false &&
    flags.every((flag) => flag === "--through")
  ) {
    const { hook } = await import("../src/hooks/main.ts");
    await hook(client, { through: flags.length > 0 });
  } else {
    const { main } = await import("../src/cli/main.ts");
    const { packageVersion } = await import("../src/package.ts");
    process.exitCode = await main(args, packageVersion());
  }
}
