import { afterAll, describe, expect, test } from "vitest";
import { REFUSAL_CODES } from "../../src/workspace/outcome/refusal.ts";
import { ATTACKS } from "./attack/attacks/all.ts";
import { launch, openSite, type Report, type Site } from "./attack/launch.ts";
import { head, row, spread } from "./attack/table.ts";

/** The share of their full size that attacks have here; all of it with `npm run attack` and in the long form. */
const SCALE = process.env["LONG"] === "1" ? 1 : 0.02;
/** How long somebody else may wait: a bound against hanging, not a promise. `npm run attack` measures. */
const HANGS_MS = 5_000;
/** What a connection is closed with that sends what is too large, or too much. */
const CLOSED = ["closed 1008", "closed 1009", "closed 1013"];
/** `refused` is what a Loro room says, which has codes of its own. */
const KNOWN: readonly string[] = ["ok", "refused", ...REFUSAL_CODES, ...CLOSED].filter(
  (code) => code !== "INTERNAL",
);

let site: Site | undefined;
const reports: Report[] = [];

/** The daemon of the attack before, unless that hurt it. */
async function soundSite(): Promise<Site> {
  const last = reports.at(-1);
  if (last !== undefined && (!last.alive || last.witness.unanswered > 0)) {
    await site?.close();
    site = undefined;
  }
  site ??= await openSite();
  return site;
}

afterAll(() => process.stdout.write(`${[head, ...reports.map(row)].join("\n")}\n`));

describe("an attack", () => {
  for (const attack of ATTACKS)
    test(`[FZ6, FZ3] ${attack.name} by a token that may ${attack.level} is answered, and so are the others meanwhile`, async () => {
      const report = await launch(attack, SCALE, await soundSite());
      reports.push(report);
      const { verdict, witness, alive, changed } = report;
      expect(alive).toBe(true);
      const codes = verdict.split(/(?<!closed) /).map((code) => code.replace(/×\d+$/, ""));
      expect(codes.filter((code) => !KNOWN.includes(code))).toEqual([]);
      if (!codes.includes("ok")) expect(changed).toEqual([]);
      expect([witness.unanswered, witness.refused]).toEqual([0, []]);
      expect(Math.max(spread(witness.read)[2], spread(witness.edit)[2])).toBeLessThan(HANGS_MS);
    }, 300_000);
});
