import { expect, test } from "vitest";
import { decisionsOn } from "../../src/agent/decisions.ts";
import type { Client } from "../../src/client/client.ts";

const file = (path: string, status: string, diff: string) => ({ path, status, diff, hunks: [] });
const SET = {
  id: "prop_1",
  path: "a.md",
  reviewer: "pat",
  reason: null,
  approvals: [{}],
  proposed_value: "",
  diff: "+one\n+two\n",
  files: [file("a.md", "approved", "+one\n"), file("b.md", "pending", "+two\n")],
};

const outcomes: [status: string, said: string][] = [
  ["pending", "- prop_1 on a.md, b.md: pat took a part. These hunks still wait:\n+two"],
  [
    "rejected",
    "- prop_1 on a.md, b.md: pat took a part and refused the rest, without a reason. This part was taken:\n+one",
  ],
  ["approved", "- prop_1 on a.md, b.md: pat took it. These lines changed:\n+one\n+two"],
];
for (const [status, said] of outcomes)
  test(`[AW12] the decision on a proposal of several files tells its files apart: ${status}`, async () => {
    const client = { proposal: { get: () => Promise.resolve({ ...SET, status }) } } as unknown as Client;
    const decisions = await decisionsOn(client, [{ proposals: ["prop_1"] }] as unknown as Parameters<
      typeof decisionsOn
    >[1]);
    expect(decisions).toContain(said);
  });
