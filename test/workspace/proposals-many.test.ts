import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import type { Proposal } from "../../src/workspace/proposals/proposal.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import {
  type ProposalHead,
  proposalShelf,
  proposalTextShelf,
  readProposal,
  recordsOf,
} from "../../src/workspace/proposals/record.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, BOB, refused } from "./harness.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const GUEST = { ...BOB, agent: "guest/bob" };
const wish = (proposedValue = "Bob") =>
  ({ path: "a.md", operation: "replace", oldContent: "Alice", proposedValue }) as const;

/** A workspace of one document with one proposal, and a function that copies it. */
async function many() {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "name = Alice\n");
  const store = new MemoryStore();
  const { workspace } = onFakes(disk, store);
  onTestFinished(() => workspace.close());
  /** Starts a daemon on the same store. */
  const start = () => new Proposals(workspace, new Editor(workspace), new FileBatches(workspace), 30);
  const { id } = accepted(await start().create(ALICE, wish()));
  const first = readProposal(store.shelved(proposalShelf, id)!, store.shelved(proposalTextShelf, id))!;
  /** Stores copies with these fields, the newest last, and with a stated size. */
  const copy = async (count: number, fields: Partial<Proposal & ProposalHead> = {}) => {
    const ids = Array.from({ length: count }, (_, n) => `${id}${fields.status ?? ""}${n}`);
    for (const [n, copied] of ids.entries()) {
      const createdAt = new Date(Date.now() + n).toISOString();
      const [small, texts] = recordsOf({ ...first, id: copied, createdAt, ...fields });
      const record = { ...small!.record, ...(fields.bytes !== undefined && { bytes: fields.bytes }) };
      await store.shelve({ ...small!, record }, texts!);
    }
    return ids;
  };
  return { store, workspace, start, first, copy };
}

/** Returns a proposal as schema 2 stored it: in one record, with its former names. */
function asSchema2({
  agentId: agent_id,
  createdAt: created_at,
  userId: user_id,
  reviewedAt: reviewed_at,
  sourceQuery: source_query,
  parts,
  ...proposal
}: Proposal) {
  const { currentValue: current_value, proposedValue: proposed_value, ...part } = parts[0]!;
  const rest = { ...proposal, ...part };
  const renamed = { agent_id, created_at, user_id, reviewed_at, current_value, proposed_value, source_query };
  return { ...rest, ...renamed };
}

const idsIn = (store: MemoryStore) => [...store.shelf(proposalShelf)].map(({ id }) => id);

test("[PO14] a list reads the texts of what it shows and of no other", async () => {
  const { store, start, copy } = await many();
  const ids = await copy(1000);
  const proposals = start();
  const shelved = vi.spyOn(store, "shelved");
  const { proposals: listed, more } = accepted(await proposals.list(ALICE, { limit: 5, status: "pending" }));
  expect([listed.map(({ id }) => id), more]).toEqual([ids.slice(-5).reverse(), true]);
  expect(shelved.mock.calls.filter(([shelf]) => shelf === "texts")).toHaveLength(5);
  expect(accepted(await proposals.list(ALICE, { status: "approved" })).proposals).toEqual([]);
  expect(accepted(await proposals.list(ALICE, { status: "expired" })).proposals).toEqual([]);
  expect(shelved.mock.calls.filter(([shelf]) => shelf === "texts")).toHaveLength(5);
});

test("[PO31] a page has room for 8 MB, and goes on before the last one", async () => {
  const { start, copy, first } = await many();
  const ids = await copy(5, { bytes: 3 << 20 });
  const proposals = start();
  const listed: string[] = [];
  for (let more = true; more; ) {
    const page = accepted(
      await proposals.list(ALICE, { ...(listed.length > 0 && { before: listed.at(-1)! }) }),
    );
    expect(page.proposals.length).toBeLessThanOrEqual(3);
    listed.push(...page.proposals.map(({ id }) => id));
    more = page.more;
  }
  expect(listed).toEqual([...ids.reverse(), first.id]);
  expect(refused(await proposals.list(ALICE, { before: "prop_none" })).code).toBe("NOT_FOUND");
});

test("[PO15] a token has at most 1,000 pending proposals; another's are in nobody's way", async () => {
  const { start, copy } = await many();
  await copy(999);
  const proposals = start();
  expect(refused(await proposals.create(BOB, wish()))).toMatchObject({
    code: "OVERLOADED",
    message: "this token has 1000 pending proposals, which is the limit",
    suggestion: expect.stringContaining("approved or rejected"),
  });
  const { id } = accepted(await proposals.create(GUEST, wish()));
  accepted(await proposals.reject(ALICE, id, null));
  const [newest] = accepted(await proposals.list(ALICE, { status: "pending", limit: 1 })).proposals;
  accepted(await proposals.reject(GUEST, newest!.id, null));
  accepted(await proposals.create(BOB, wish()));
});

test("[PO15] the pending proposals of a token take at most 256 MB", async () => {
  const { start, copy } = await many();
  await copy(4, { bytes: 64 << 20 });
  const proposals = start();
  expect(refused(await proposals.create(BOB, wish()))).toMatchObject({
    code: "OVERLOADED",
    details: { limits: { bytes: 256 << 20 } },
  });
  accepted(await proposals.create(GUEST, wish()));
});

test("[PO15] a proposal that could not be stored is not counted", async () => {
  const { store, start, copy } = await many();
  await copy(998);
  const proposals = start();
  store.failNext("full");
  expect(refused(await proposals.create(ALICE, wish())).code).toBe("STORAGE_FULL");
  accepted(await proposals.create(ALICE, wish()));
});

test("[PO16] of a token the 1,000 proposals that were closed last are kept, for 90 days", async () => {
  const { store, start, copy, first } = await many();
  const rejected = { status: "rejected", reviewedAt: new Date().toISOString() } as const;
  const ids = await copy(1000, rejected);
  const long = new Date(Date.now() - 91 * DAY_MS).toISOString();
  await copy(1, { ...rejected, status: "expired", reviewedAt: long, agentId: "guest/bob" });
  const proposals = start();
  await proposals.expire();
  expect(idsIn(store).sort()).toEqual([first.id, ...ids].sort());
  accepted(await proposals.reject(ALICE, first.id, null));
  await expect.poll(() => idsIn(store).length).toBe(1000);
  expect([...store.shelf(proposalTextShelf)]).toHaveLength(1000);
  expect(accepted(await proposals.get(ALICE, first.id)).status).toBe("rejected");
  expect(refused(await proposals.get(ALICE, ids[0]!)).code).toBe("NOT_FOUND");
});

test("[PO32] a proposal that an earlier version stored is listed, counted, approved and closed", async () => {
  const { store, workspace, start, first } = await many();
  const whole = asSchema2({ ...first, id: "prop_whole" });
  const other = asSchema2({ ...first, id: "prop_other", opId: "op-1" });
  await store.shelve(
    { shelf: proposalShelf, id: whole.id, record: whole },
    { shelf: proposalShelf, id: other.id, record: other },
  );
  const proposals = start();
  const listed = accepted(await proposals.list(ALICE, {})).proposals;
  expect(listed.find(({ id }) => id === whole.id)).toMatchObject({
    proposedValue: "Bob",
    diff: first.parts[0]!.diff,
    status: "pending",
  });
  expect(accepted(await proposals.create(ALICE, { ...wish(), opId: "op-1" })).id).toBe("prop_other");
  accepted(await proposals.reject(BOB, "prop_other", "no"));
  expect(accepted(await start().get(ALICE, "prop_other"))).toMatchObject({
    status: "rejected",
    reason: "no",
    currentValue: "Alice",
  });
  accepted(await proposals.approve(BOB, { id: whole.id }));
  expect(accepted(await workspace.open("a.md")).text.toString()).toBe("name = Bob\n");
  expect(accepted(await start().get(ALICE, whole.id)).status).toBe("approved");
});

test("[PO17] closing a proposal writes what is small of it", async () => {
  const { store, start } = await many();
  const large = `x${"y".repeat(100_000)}`;
  const proposals = start();
  const { id } = accepted(await proposals.create(ALICE, wish(large)));
  const shelve = vi.spyOn(store, "shelve");
  accepted(await proposals.reject(BOB, id, "no"));
  expect(shelve).toHaveBeenCalledOnce();
  expect(JSON.stringify(shelve.mock.calls).length).toBeLessThan(2000);
  expect(accepted(await proposals.get(ALICE, id)).proposedValue).toBe(large);
});
