import { afterAll, describe, expect, test } from "vitest";
import { REFUSAL_CODES } from "../../src/workspace/outcome/refusal.ts";
import { further } from "../helpers/further.ts";
import { ATTACKS } from "./attack/attacks/all.ts";
import { launch, openSite, type Report, type Site } from "./attack/launch.ts";
import { head, row, spread } from "./attack/table.ts";

/** The share of an attack's full size here; `npm run attack` and the long form use the full size. */
const SCALE = process.env["LONG"] === "1" ? 1 : 0.01;
/** The time that another client may wait: a bound against hanging, not a promise. `npm run attack` measures. */
const HANGS_MS = 5_000;
/** The close codes of a connection that sends a frame too large or too many frames. */
const CLOSED = ["closed 1008", "closed 1009", "closed 1013"];
/** A Loro room, which has codes of its own, answers `refused`. */
const KNOWN: readonly string[] = ["ok", "refused", ...REFUSAL_CODES, ...CLOSED].filter(
  (code) => code !== "INTERNAL",
);

let site: Site | undefined;
const reports: Report[] = [];

/** Returns the daemon of the previous attack, or a new one if that attack damaged it. */
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
  // `npm test` runs each third attack.
  for (const [i, attack] of ATTACKS.entries())
    (i % 3 === 0 ? test : further)(
      `[FZ6, FZ3] ${attack.name} by a token that may ${attack.level} is answered, and so are the others meanwhile`,
      async () => {
        const report = await launch(attack, SCALE, await soundSite());
        reports.push(report);
        const { verdict, witness, alive, changed } = report;
        expect(alive).toBe(true);
        const codes = verdict.split(/(?<!closed) /).map((code) => code.replace(/×\d+$/, ""));
        expect(codes.filter((code) => !KNOWN.includes(code))).toEqual([]);
        if (!codes.includes("ok")) expect(changed).toEqual([]);
        expect([witness.unanswered, witness.refused]).toEqual([0, []]);
        expect(Math.max(spread(witness.read)[2], spread(witness.edit)[2])).toBeLessThan(HANGS_MS);
      },
      300_000,
    );
});
