import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unable } from "./able.ts";
import { startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { NOT_OFFERED } from "./mcp-not-offered.ts";
import { withToken } from "./token-proxy.ts";

/** The program of `@modelcontextprotocol/conformance`, which is too large for a package of this one. */
const PROGRAM = process.env["MCP_CONFORMANCE"];
/** Every version that the program knows. */
const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

function missing(): string | undefined {
  if (PROGRAM === undefined) return "MCP_CONFORMANCE does not name its program";
  if (Number(process.versions.node.split(".")[0]) < 22)
    return `it needs Node 22, and this is ${process.version}`;
  return undefined;
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

/** Runs the program for one version; returns the checks of each scenario. */
async function checksOf(url: string, version: string, output: string): Promise<Map<string, Check[]>> {
  const args = ["server", "--url", url, "--suite", "all", "--spec-version", version, "-o", output];
  // The program ends with 1 if any check fails, offered or not.
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, [PROGRAM!, ...args], (_failed, out, err) => resolve(out + err)),
  );
  const scenarios = readdirSync(output).map((folder): [string, Check[]] => [
    /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)![1]!,
    JSON.parse(readFileSync(join(output, folder, "checks.json"), "utf8")) as Check[],
  ]);
  expect(said).toContain(`(${scenarios.length} scenarios)`);
  return new Map(scenarios);
}

describe.skipIf(unable("the conformance tests of MCP", missing()))("the conformance tests of MCP", () => {
  test("[MC62] pass in every version, but for what the daemon does not offer", async () => {
    const { located } = await startDaemon(makeFolder({ "notes.md": "Monday\n" }).root);
    const url = `${await withToken(located)}/mcp`;
    const output = makeFolder({});
    const offeredNot = new Set(Object.values(NOT_OFFERED).flat());
    const failed = new Set<string>();
    const surprises: string[] = [];
    for (const version of VERSIONS)
      for (const [scenario, checks] of await checksOf(url, version, output.at(version)))
        for (const { id, status, errorMessage } of checks) {
          if (status !== "FAILURE" && status !== "WARNING") continue;
          const entry = [scenario, `${scenario}/${id}`].find((one) => offeredNot.has(one));
          if (entry === undefined) surprises.push(`${version} ${scenario}/${id}: ${errorMessage}`);
          else failed.add(entry);
        }
    expect(surprises).toEqual([]);
    // An entry that passes by now leaves the list.
    expect([...offeredNot].filter((entry) => !failed.has(entry))).toEqual([]);
  });
});
