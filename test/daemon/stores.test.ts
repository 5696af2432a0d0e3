import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/client/node.ts";
import { adoptState } from "../../src/daemon/adopt.ts";
import { startDaemon } from "../../src/daemon/daemon.ts";
import type { Params } from "../../src/protocol/schemas/schemas.ts";
import { provenanceOf, sealStore } from "../../src/store/lmdb/provenance.ts";
import { storesAside } from "../../src/store/lmdb/set-aside.ts";
import { folderWith } from "../helpers/hostile.ts";

const STORES = resolve(import.meta.dirname, "../../fixtures/stores");

/** Runs `work` with a client of a daemon that serves a folder meanwhile. */
async function served<T>(root: string, work: (client: Client) => Promise<T>, name = "reader"): Promise<T> {
  const daemon = await startDaemon({ root, port: 0 });
  const client = await connect({ ...daemon.info, name, reconnect: false });
  try {
    return await work(client);
  } finally {
    await client.close();
    await daemon.close();
  }
}

const messages = (root: string) =>
  served(root, async (client) => {
    const { changes } = await client.history.list({ path: "notes.md" });
    return changes.map(({ message }) => message);
  });

/** Returns a workspace with a history of one edit. */
async function worked(): Promise<string> {
  const root = folderWith({ "notes.md": "one\n" });
  await served(root, (client) =>
    client.edit.append({ path: "notes.md", text: "two\n", message: "the edit" }),
  );
  return root;
}

interface Expected {
  readonly documents: Readonly<
    Record<string, { docId: string; version: string; sha256: string; changes: unknown[][] }>
  >;
  readonly proposals: readonly unknown[];
  readonly checkpoints: { readonly checkpoints: readonly object[] };
}

/** The answers of the daemon that left a store. */
interface Packed {
  readonly documents: Readonly<
    Record<
      string,
      {
        readonly docId: string;
        readonly version: string;
        readonly sha256: string;
        readonly changes: readonly object[];
        readonly blame: object;
      }
    >
  >;
  readonly answers: readonly { readonly params: Params<"edit.splice">; readonly changeId: string }[];
}

describe("a store", () => {
  test("[SF17] of an earlier version opens with all its contents (I18)", async () => {
    const folder = folderWith();
    execFileSync("tar", ["-xzf", join(STORES, "0.1.0.tar.gz"), "-C", folder]);
    const expected = JSON.parse(readFileSync(join(STORES, "0.1.0.json"), "utf8")) as Expected;
    await served(join(folder, "ws-0.1.0"), async (client) => {
      for (const [path, { docId, version, sha256, changes }] of Object.entries(expected.documents)) {
        expect(await client.doc.open({ path })).toMatchObject({ docId, version, sha256 });
        const history = await client.history.list({ path, limit: 1000 });
        expect(history.changes.map(({ changeId }) => changeId)).toEqual(changes.map(([id]) => id));
      }
      const { proposals } = await client.proposal.list({});
      expect(proposals).toHaveLength(expected.proposals.length);
      expect(await client.checkpoint.list({})).toEqual(expected.checkpoints);
      const [old] = (await client.thread.list({ path: "sub/doc0.md" })).threads;
      expect(old).toMatchObject({ title: "please look", private: true, messages: 1 });
      await client.thread.append({ thread: old!.id, role: "assistant", text: "I looked" });
      const { messages } = await client.thread.get({ thread: old!.id });
      expect(messages.map(({ text }) => text)).toEqual(["please look", "I looked"]);
    });
  });

  test("[SF17] of schema 10 opens with its packed history, and gives packed answers again (I18)", async () => {
    const folder = folderWith();
    execFileSync("tar", ["-xzf", join(STORES, "schema-10.tar.gz"), "-C", folder]);
    const { documents, answers } = JSON.parse(readFileSync(join(STORES, "schema-10.json"), "utf8")) as Packed;
    const root = join(folder, "ws-schema-10");
    for (const start of ["the first", "a later"])
      await served(
        root,
        async (client) => {
          for (const [path, { docId, version, sha256, changes, blame }] of Object.entries(documents)) {
            expect(await client.doc.open({ path }), start).toMatchObject({ docId, version, sha256 });
            expect((await client.history.list({ path, limit: 1000 })).changes).toEqual(changes);
            expect(await client.request("blame", { path })).toEqual(blame);
          }
          for (const { params, changeId } of answers) {
            expect((await client.edit.splice(params)).changeId).toBe(changeId);
            const other = { ...params, splices: [{ from: 0, to: 0, insert: "another request" }] };
            await expect(client.edit.splice(other)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
          }
        },
        "typist",
      );
  });

  test("[SF9] that this user's daemon sealed opens, even if its mode was loosened", async () => {
    const root = await worked();
    chmodSync(join(root, ".spliced/store"), 0o755);
    expect((await messages(root))[0]).toBe("the edit");
    expect(storesAside(join(root, ".spliced"))).toEqual([]);
  });

  test("[SF18, SF10] from a checkout is set aside unopened; after adoption its history continues", async () => {
    const root = await worked();
    const copy = folderWith();
    cpSync(root, copy, { recursive: true });
    chmodSync(join(copy, ".spliced/store"), 0o755); // the mode in a checkout
    expect(await messages(copy)).not.toContain("the edit");
    expect(storesAside(join(copy, ".spliced"))).toMatchObject([{ kind: "unknown" }]);
    expect(await adoptState(copy)).toMatchObject({ replaced: expect.stringContaining("store.replaced-") });
    expect(await messages(copy)).toContain("the edit");
    expect(await adoptState(copy)).toEqual({ store: undefined, replaced: undefined, tokens: [] });
  });

  test("[SF10] behind a link is not adopted, and nothing behind the link moves", async () => {
    const [root, other] = [await worked(), await worked()];
    const planted = join(root, ".spliced/store.unknown-99991231T000000Z");
    symlinkSync(join(other, ".spliced"), planted);
    expect(storesAside(join(root, ".spliced"))).toEqual([]);
    expect(await adoptState(root)).toMatchObject({ store: undefined });
    rmSync(planted);
    mkdirSync(planted, { mode: 0o700 });
    symlinkSync(join(other, ".spliced/store"), join(planted, "store"));
    await expect(adoptState(root)).rejects.toThrow(/store is a link/);
    for (const folder of [root, other]) expect(await messages(folder)).toContain("the edit");
  });

  test("[ST30] whose front log has no database is set aside, with its front log", async () => {
    const root = await worked();
    const store = join(root, ".spliced/store");
    rmSync(join(store, "data.mdb"));
    writeFileSync(join(store, "front.1"), "groups of writes");
    expect(await messages(root)).not.toContain("the edit");
    const [aside] = storesAside(join(root, ".spliced"));
    expect(aside).toMatchObject({ kind: "damaged" });
    expect(readFileSync(join(aside!.at, "store/front.1"), "utf8")).toBe("groups of writes");
  });

  test("[SF18] with another database, or made under a private umask, is unknown", async () => {
    const store = join(folderWith({ "store/data.mdb": "one" }), "store");
    chmodSync(store, 0o700);
    expect(provenanceOf(store)).toBe("private");
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    expect(provenanceOf(store)).toBe("unknown");
    sealStore(store);
    expect(provenanceOf(store)).toBe("here");
    writeFileSync(join(store, "new"), "two");
    renameSync(join(store, "new"), join(store, "data.mdb"));
    expect(provenanceOf(store)).toBe("unknown");
    rmSync(store, { recursive: true });
    expect(provenanceOf(store)).toBeUndefined();
  });
});
