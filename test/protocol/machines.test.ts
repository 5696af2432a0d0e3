import { expect, test } from "vitest";
import { listedMachines } from "../../src/protocol/handlers/machines.ts";
import { FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";

test("[MA39] a path that a caller may not read is not in the list of machines", () => {
  const withheld = ["a.md", "b.md"].map((path) => ({ path, reason: "left out" }));
  const link = { carrier: "connected", reason: undefined, since: 0, machines: [], incoming: 0 } as const;
  const waits = { waiting: 0, waitingSince: undefined, isFull: false };
  const status = { is: "shared", workspace: "w", broker: "nats://b", withheld, ...link, ...waits } as const;
  expect(listedMachines(status, FULL_RIGHTS).withheld).toEqual(withheld);
  const some = new Rights([{ glob: "b.md", level: "read" }]);
  expect(listedMachines(status, some).withheld).toEqual([withheld[1]]);
});
