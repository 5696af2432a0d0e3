import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cleanUp } from "../cleanup.ts";
import { ATTACKS } from "./attacks/all.ts";
import { launch, openSite } from "./launch.ts";
import { head, row } from "./table.ts";

const USAGE = `npm run attack [-- <option> … <name> …]

  --scale <n>  the share of an attack's full size (1)
  --list       names the attacks

Each attack meets a daemon of its own. A thousand proposals instead of five: LONG=1.
`;

// Daemons store their sealing key there; no user has this folder.
process.env["XDG_STATE_HOME"] = mkdtempSync(join(tmpdir(), "spliced-attack-"));
process.exitCode = await main();
rmSync(process.env["XDG_STATE_HOME"], { recursive: true, force: true });
await cleanUp();
process.exit();

async function main(): Promise<number> {
  const asked = options();
  if (asked === undefined) return 2;
  const { values, chosen } = asked;
  if (values.list) {
    process.stdout.write(`${ATTACKS.map(({ name, level }) => `${name} (${level})`).join("\n")}\n`);
    return 0;
  }
  process.stdout.write(`${head}\n`);
  let failures = 0;
  for (const attack of chosen) {
    const report = await launch(attack, Number(values.scale), await openSite());
    await cleanUp();
    process.stdout.write(`${row(report)}\n`);
    if (!report.alive || report.failed || report.witness.unanswered > 0) failures++;
  }
  return failures === 0 ? 0 : 1;
}

/** Returns the options; for invalid ones prints the fault and returns undefined. */
function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        scale: { type: "string", default: "1" },
        list: { type: "boolean", default: false },
      },
    });
    const unknown = positionals.find((name) => !ATTACKS.some((attack) => attack.name === name));
    if (unknown !== undefined) throw new Error(`there is no attack ${unknown}; --list names them`);
    if (!(Number(values.scale) > 0)) throw new Error(`--scale ${values.scale} is no number above 0`);
    const chosen =
      positionals.length === 0 ? ATTACKS : ATTACKS.filter(({ name }) => positionals.includes(name));
    return { values, chosen };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}
