import { expect, test } from "vitest";
import { machineLines } from "../../src/cli/sharing/machines.ts";
import { listedMachines } from "../../src/protocol/handlers/machines.ts";
import { FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";

const withheld = ["a.md", "b.md"].map((path) => ({ path, reason: "left out" }));
const link = { carrier: "connected", reason: undefined, since: 0, machines: [], incoming: 0 } as const;
const waits = { waiting: 0, waitingSince: undefined, refusal: undefined, isFull: false };
const of = { is: "shared", workspace: "w", broker: "nats://b" } as const;
const status = { ...of, withheld, ignored: ["a.md", "b.md"], ...link, ...waits } as const;

test("[MA39] a path that a caller may not read is not in the list of machines", () => {
  expect(listedMachines(status, FULL_RIGHTS).withheld).toEqual(withheld);
  const some = new Rights([{ glob: "b.md", level: "read" }]);
  expect(listedMachines(status, some)).toMatchObject({ withheld: [withheld[1]], ignored: ["b.md"] });
});

test("[MA140] the list of machines says why the server refuses messages", () => {
  const refused = { ...status, waiting: 2, refusal: "NATS: maximum bytes exceeded" };
  const lines = machineLines(listedMachines(refused, FULL_RIGHTS));
  expect(lines).toContain("The server refuses messages: NATS: maximum bytes exceeded.");
  expect(machineLines(listedMachines(status, FULL_RIGHTS)).join("\n")).not.toContain("refuses");
});

test("[MA262] a machine that the owner removed says so", () => {
  const self = {
    machine: "m_a",
    name: "a",
    lastSeen: 0,
    isConnected: true,
    behind: 0,
    level: "write",
  } as const;
  const lines = (isSelf: boolean) => {
    const machines = [{ ...self, isSelf }];
    return machineLines(listedMachines({ ...status, machines }, FULL_RIGHTS)).join("\n");
  };
  expect(lines(false)).toContain("The owner removed this machine");
  expect(lines(true)).not.toContain("removed");
});
