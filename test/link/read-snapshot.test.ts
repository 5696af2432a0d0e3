import { expect, test } from "vitest";
import { packer } from "../../src/link/base/packing.ts";
import { documentsIn, filesIn } from "../../src/link/snapshots/read-snapshot.ts";
import { headName } from "../../src/link/snapshots/snapshot.ts";
import { Machines, sealedBy } from "./machines.ts";

/** The largest size at which any version ended a part of a snapshot; bytes. */
const MOST_PART_BYTES = 4 << 20;
const MANY = 100_001;

test("[MA210] a part of a snapshot with more entries than any machine makes is refused", () => {
  const part = packer.encode(new Array(MANY).fill(1));
  expect([documentsIn(part), filesIn(part)]).toEqual([undefined, undefined]);
});

test("[MA210] a part with the smallest entries that a machine makes is read", () => {
  const stamp = { lamport: 1, machine: "m" };
  const smallest = packer.encode({ gone: { id: "d", path: "a", born: stamp, stamp } });
  const count = Math.ceil(MOST_PART_BYTES / smallest.length);
  expect(documentsIn(packer.encode(new Array(count).fill(smallest)))).toHaveLength(count);
});

test("[MA163] the entries of a snapshot that cannot be read are one report with their number", async () => {
  const machines = new Machines();
  const mal = machines.add("mal");
  await mal.create("a.md", "one\n");
  await machines.run(10_000);
  await machines.during(mal.link.storeSnapshot());
  const { objects } = machines.broker.memory;
  const head = packer.decode(objects.get(headName("mal"))!.subarray(8)) as { id: string };
  const message = (doc: string) => packer.encode({ after: {}, items: [{ is: "document", doc }] });
  const entries = ["doc_x", "doc_y", "doc_z"].map((doc) => packer.encode({ message: message(doc) }));
  objects.set(`snapshot.${head.id}.0`, sealedBy("mal", 0, packer.encode(entries)));
  const { digests: _, ...rest } = head as { id: string; digests?: unknown };
  objects.set(headName("mal"), sealedBy("mal", 0, packer.encode(rest)));
  machines.add("bob", {}, { joins: true });
  await machines.run(10_000);
  const defects = machines.reports.filter((one) => one.startsWith("bob: link.defect"));
  expect(defects).toHaveLength(1);
  expect(defects[0]).toContain('"doc":"doc_x"');
  expect(defects[0]).toContain('"items":3');
});
