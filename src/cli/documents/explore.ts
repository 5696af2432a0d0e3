import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { isJsonObject } from "../../json-object.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { parseExactly } from "../../text/exact-json.ts";
import { type Common, talk } from "../connection/session.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";

/** Adds `metrics` and `call`, which look into the daemon itself. */
export function exploringCommands(program: Command): void {
  program
    .command("metrics")
    .description("show the daemon's counts and times since it started")
    .action((_options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const metrics = await client.request("metrics.get", {});
        if (options.json) printJson(metrics);
        else for (const line of table(metrics)) print(line);
      });
    });

  program
    .command("call")
    .description("send one request of the protocol and print the answer as JSON")
    .argument("<method>", "a method of docs/protocol.md, or rpc.discover, which lists the methods")
    .argument("[params]", "a JSON object, or - to read it from standard input", "{}")
    .addHelpText("after", '\nExample:\n  $ spliced call doc.read \'{"path":"notes.md","lines":[1,3]}\'')
    .action((method: string, params: string, _options, command: Command) =>
      talk(
        command.optsWithGlobals<Common>(),
        async ({ client }) => printJson(await client.call(method, parseParams(params))),
        "method",
      ),
    );
}

function parseParams(given: string): object {
  let params: unknown;
  try {
    params = parseExactly(given === "-" ? readFileSync(0, "utf8") : given);
  } catch (error) {
    throw new CommandError(EXIT.usage, `the parameters are not JSON: ${(error as Error).message}`);
  }
  if (isJsonObject(params)) return params;
  throw new CommandError(EXIT.usage, 'the parameters must be a JSON object, such as {"path":"notes.md"}');
}

function table(metrics: Result<"metrics.get">): string[] {
  const { documents, changes, requests } = metrics;
  const figures: [name: string, value: string][] = [
    ["up", `${(metrics.uptimeMs / 60_000).toFixed(1)} min`],
    ["memory", `${(metrics.memoryBytes / (1 << 20)).toFixed(0)} MiB`],
    ["connections", String(metrics.connections)],
    ["documents", `${documents.loaded} in memory, ${documents.pendingWrites} pending writes`],
    ["problems", counts(documents.problems)],
    ["store", metrics.storeTrouble ?? "ok"],
    ["changes", counts(changes)],
    [
      "merges",
      counts({ conflicts: metrics.conflicts, rescued: metrics.rescued, superseded: metrics.superseded }),
    ],
    [
      "patches",
      `${metrics.total_patches}, ${metrics.patch_conflicts} of them did not fit; ${metrics.avg_patch_latency} ms on average`,
    ],
  ];
  const width = Math.max(0, ...requests.map(({ method }) => method.length));
  return [
    ...figures.map(([name, value]) => `${name.padEnd(12)} ${value}`),
    "",
    paint("dim", `${"".padEnd(width)}    count   mean ms  p95 ms ≤  outcomes`),
    ...requests.map(({ method, outcomes, latency }) =>
      [
        method.padEnd(width),
        String(latency.count).padStart(8),
        (latency.sumMs / latency.count).toFixed(2).padStart(9),
        quantile(latency, 0.95).padStart(9),
        ` ${counts(outcomes)}`,
      ].join(" "),
    ),
  ];
}

/** Returns the upper bound, in milliseconds, of the bucket in which the quantile lies. */
function quantile(
  { count, buckets }: Result<"metrics.get">["requests"][number]["latency"],
  share: number,
): string {
  return String(buckets.find((bucket) => bucket.count >= share * count)?.le ?? "∞");
}

function counts(all: Readonly<Record<string, number>>): string {
  const some = Object.entries(all).filter(([, count]) => count > 0);
  return some.length === 0 ? "none" : some.map(([name, count]) => `${count} ${name}`).join(", ");
}
