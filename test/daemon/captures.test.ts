import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CaptureFolder, openCaptures } from "../../src/daemon/parts/captures.ts";
import { folderWith } from "../helpers/hostile.ts";

const HOUR_MS = 3_600_000;
const AT = Date.parse("2026-01-02T03:04:05Z");

function opened(state: string, hours: number): CaptureFolder {
  const captures = openCaptures(state, hours, (event, details) => {
    throw new Error(`${event} ${JSON.stringify(details)}`);
  });
  if (captures === undefined) throw new Error("the captures are off");
  onTestFinished(() => captures.close());
  return captures;
}

const capture = (request: string, time: number) =>
  ({
    request,
    time: new Date(time).toISOString(),
    agent: "owner/x",
    method: "edit.write",
    params: { text: request },
    outcome: "ok",
  }) as const;
const texts = (state: string) =>
  readdirSync(join(state, "captures"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(state, "captures", name), "utf8")).params.text);

describe("captures", () => {
  test("[ME30] are files that only their user can read", async () => {
    const state = folderWith();
    const captures = opened(state, 1);
    captures.add(capture("req_a", Date.now()));
    await captures.close();
    const folder = join(state, "captures");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
    expect(texts(state)).toEqual(["req_a"]);
  });

  test("[ME13] are deleted after their hours, by a running daemon and at the next start", async () => {
    const state = folderWith();
    const captures = opened(state, 1_000_000);
    captures.add(capture("req_old", AT));
    captures.add(capture("req_new", AT + HOUR_MS));
    captures.sweep(AT + 1_000_000 * HOUR_MS - 1);
    await captures.close();
    expect(texts(state)).toEqual(["req_old", "req_new"]);
    captures.sweep(AT + 1_000_000 * HOUR_MS);
    await captures.close();
    expect(texts(state)).toEqual(["req_new"]);
    await opened(state, 1).close();
    expect(texts(state)).toEqual([]);
  });

  test("[ME13] are deleted when the capture is off", async () => {
    const state = folderWith();
    const captures = opened(state, 1);
    captures.add(capture("req_a", Date.now()));
    await captures.close();
    expect(openCaptures(state, 0, () => {})).toBeUndefined();
    expect(readdirSync(state)).toEqual([]);
  });
});
