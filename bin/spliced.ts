#!/usr/bin/env node
const [command, client, ...flags] = process.argv.slice(2);
// Agents wait for their hooks, so a hook loads nothing else.
if (command === "hook" && client?.startsWith("-") === false && flags.every((flag) => flag === "--through")) {
  const { hook } = await import("../src/hooks/main.ts");
  await hook(client, { through: flags.length > 0 });
} else {
  const { main } = await import("../src/cli/main.ts");
  const { packageVersion } = await import("../src/package.ts");
  process.exitCode = await main(process.argv.slice(2), packageVersion());
}
