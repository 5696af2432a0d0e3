import { expect, test } from "vitest";
import { machineIdFrom, sessionFrom } from "../../src/cli/connection/ids.ts";
import type { BriefClient } from "../../src/client/brief.ts";

/** Returns a client of a daemon whose history has one change of each session, and one without a session. */
function clientWith(sessions: readonly string[]): BriefClient {
  const changes = [undefined, ...sessions].map((session) => ({
    session,
    author: "claude",
    time: "2026-11-26",
  }));
  return { request: () => Promise.resolve({ changes, more: false }) } as unknown as BriefClient;
}

test("[TM31] a session may be shortened to a unique beginning", async () => {
  const client = clientWith(["5f0c2a71-6b1e", "5f0c2a71-6b1e", "77aa", "77aabb"]);
  expect(await sessionFrom(client, "5f0c")).toBe("5f0c2a71-6b1e");
  expect(await sessionFrom(client, "77aa")).toBe("77aa");
  expect(await sessionFrom(client, "other")).toBe("other");
  await expect(sessionFrom(client, "77a")).rejects.toThrow("77a is the beginning of 2 ids");
});

test("[TM81] the id of another machine may be shortened, and a name stays as it is", async () => {
  const machines = [
    { machine: "m_vm2a", name: "vm", isSelf: true },
    { machine: "m_9yhb", name: "vm", isSelf: false },
    { machine: "m_vm3c", name: "laptop", isSelf: false },
  ];
  const client = { request: () => Promise.resolve({ machines }) } as unknown as BriefClient;
  const found = (given: string) => machineIdFrom(client, given);
  expect(await Promise.all(["m_9", "9yh", "laptop", "vm", "other"].map(found))).toEqual([
    "m_9yhb",
    "m_9yhb",
    "laptop",
    "vm",
    "other",
  ]);
});
