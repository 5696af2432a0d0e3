import { cpSync, existsSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { packer } from "../../src/link/base/packing.ts";
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";
import { connected } from "../../src/link/carrier/reach.ts";
import { SnapshotReader } from "../../src/link/catch-up/newcomer.ts";
import { readLink, trustOf } from "../../src/link/members/link-file.ts";
import { MemberSealer } from "../../src/link/members/seal.ts";
import { digestOf, encodeHead, headName, partName } from "../../src/link/snapshots/snapshot.ts";
import { systemClock } from "../../src/mirror/clock.ts";
import { EXAMPLES } from "../../src/protocol/reference/examples.ts";
import { methods } from "../../src/protocol/schemas/schemas.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const missing = natsMissing();
if (missing !== undefined) console.log(`left out, because ${missing}: machines that share a workspace`);

/** Two folders on this computer that are two machines. */
interface Pair {
  readonly nats: NatsServer;
  readonly a: Folder;
  readonly b: Folder;
}

/** Shares a folder with these files, and joins a second folder. */
async function pair(
  files: Record<string, string>,
  {
    own = {},
    share = [],
    join: joins = [],
    serve = serveFolder,
  }: {
    own?: Record<string, string>;
    share?: string[];
    join?: string[];
    serve?: (root: string) => Promise<unknown>;
  } = {},
): Promise<Pair> {
  const nats = await NatsServer.start();
  const [a, b] = [makeFolder(files), makeFolder(own)];
  await serve(a.root);
  const shared = await run(a, "share", "--nats", nats.url, "--json", ...share);
  const { line } = JSON.parse(shared) as { line: string };
  atEnd(() => cli(b.root, ["stop"]));
  await run(b, "join", line, b.root, "--name", "laptop", "--yes", ...joins);
  return { nats, a, b };
}

/** Runs a command that must succeed; returns what it printed. */
async function run(folder: Folder, ...args: string[]): Promise<string> {
  const { code, out, err } = await cli(folder.root, args);
  if (code !== 0) throw new Error(`spliced ${args[0]} ended with ${code}: ${err}${out}`);
  return out;
}

/** Waits until a file has a text on a machine. */
function arrives(folder: Folder, path: string, text: string): Promise<string> {
  return until(
    `${path} with ${JSON.stringify(text)}`,
    () => folder.read(path),
    (now) => now.includes(text),
  );
}

describe.skipIf(missing !== undefined)("machines that share a workspace", () => {
  test("[MA1, MA30] what is done on one machine is in the files of the other, with author and machine", async () => {
    const { a, b } = await pair({ "notes/plan.md": "one\ntwo\n", "run.sh": "#!/bin/sh\n" });
    expect(b.read("notes/plan.md")).toBe("one\ntwo\n");
    await run(a, "append", "notes/plan.md", "three");
    await arrives(b, "notes/plan.md", "three");
    writeFileSync(b.at("notes/plan.md"), "ONE\ntwo\nthree\n");
    await arrives(a, "notes/plan.md", "ONE");
    writeFileSync(b.at("fresh.md"), "fresh\n");
    await arrives(a, "fresh.md", "fresh");
    renameSync(a.at("fresh.md"), a.at("notes/fresh.md"));
    await until("the renaming", () => existsSync(b.at("notes/fresh.md")) && !existsSync(b.at("fresh.md")));
    await run(b, "rm", "notes/fresh.md");
    await until("the deletion", () => !existsSync(a.at("notes/fresh.md")));
    const history = JSON.parse(await run(a, "history", "notes/plan.md", "--json")) as {
      changes: { changeId: string; origin: string; machine?: string }[];
    };
    expect(history.changes[0]).toMatchObject({ origin: "remote", machine: "laptop", author: "disk" });
    await run(a, "undo", history.changes[0]!.changeId);
    await arrives(b, "notes/plan.md", "one\ntwo\nthree\n");
    const machines = await run(b, "machines");
    expect(machines).toContain("laptop");
    expect(machines).toContain("connected");
  });

  test("[MA2, MA31] each machine works while the server is away, and says what waits; then all is merged", async () => {
    const { nats, a, b } = await pair({ "a.md": "one\ntwo\nthree\n", "b.md": "bee\n" });
    await nats.kill();
    await until(
      "away",
      () => run(a, "machines"),
      (shown) => shown.includes("away"),
    );
    await run(a, "append", "a.md", "from a");
    writeFileSync(b.at("a.md"), "ONE\ntwo\nthree\n");
    await until(
      "both saves",
      () => run(b, "history", "a.md"),
      (shown) => shown.includes("disk"),
    );
    await run(a, "mv", "b.md", "bee.md");
    await run(b, "append", "b.md", "b's line");
    expect(await run(a, "machines")).toMatch(/\d+ messages? waits? for the server/);
    expect(await run(a, "status")).toContain("wait");
    await nats.start();
    const merged = "ONE\ntwo\nthree\nfrom a\n";
    await arrives(a, "a.md", merged);
    await arrives(b, "a.md", merged);
    await arrives(a, "bee.md", "b's line").catch(async (e) => {
      console.log(
        await run(a, "history", "bee.md"),
        await run(b, "history", "bee.md"),
        await run(a, "machines"),
        await run(b, "machines"),
      );
      throw e;
    });
    await arrives(b, "bee.md", "b's line");
    expect(existsSync(b.at("b.md"))).toBe(false);
  });

  test("[MA4, MA32] a folder with files joins: equal files are shared, other texts stay beside, and it is shown before", async () => {
    const nats = await NatsServer.start();
    const a = makeFolder({ "same.md": "same\n", "differs.md": "of a\n" });
    const b = makeFolder({ "same.md": "same\n", "differs.md": "of b\n", "own.md": "own\n" });
    await serveFolder(a.root);
    const line = (await run(a, "share", "--nats", nats.url)).trim();
    expect(line).toMatch(/^spliced1\.\S+$/); // standard output has the line alone
    const refused = await cli(b.root, ["join", line, b.root, "--name", "laptop"]);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("differs.md differs; your text becomes differs (laptop).md");
    expect(b.read("differs.md")).toBe("of b\n");
    atEnd(() => cli(b.root, ["stop"]));
    await run(b, "join", line, b.root, "--name", "laptop", "--yes");
    expect([b.read("differs.md"), b.read("differs (laptop).md")]).toEqual(["of a\n", "of b\n"]);
    await arrives(a, "differs (laptop).md", "of b");
    await arrives(a, "own.md", "own");
    await run(b, "append", "same.md", "more");
    await arrives(a, "same.md", "more");
  });

  test("[MA174] a folder with a link or a folder in the place of a shared file is refused, and nothing is written through it", async () => {
    const nats = await NatsServer.start();
    const a = makeFolder({ "docs/a.md": "of a\n", "b.md": "of a\n" });
    await serveFolder(a.root);
    const line = (await run(a, "share", "--nats", nats.url)).trim();
    const elsewhere = makeFolder({ "a.md": "of somebody\n" });
    const [linked, taken] = [makeFolder({}), makeFolder({ "b.md/c.md": "of b\n" })];
    symlinkSync(elsewhere.root, linked.at("docs"));
    atEnd(() => cli(linked.root, ["stop"]));
    atEnd(() => cli(taken.root, ["stop"]));
    for (const [folder, path] of [
      [linked, "docs/a.md"],
      [taken, "b.md"],
    ] as const) {
      const refused = await cli(folder.root, ["join", line, folder.root, "--name", "laptop", "--yes"]);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(path)]);
      expect(refused.err).toContain("join again");
    }
    expect(readdirSync(elsewhere.root)).toEqual(["a.md"]);
    expect(elsewhere.read("a.md")).toBe("of somebody\n");
  });

  test("[MA204] a file of a snapshot that would fill the memory is left out and named, and the folder joins", async () => {
    const { nats, a } = await pair({ "a.md": "one\n" });
    const { line } = JSON.parse(await run(a, "share", "--json")) as { line: string };
    const record = readLink(a.at(".spliced/link.json"))!;
    const sealer = new MemberSealer({ ...record, ...trustOf(record) });
    const carrier = new NatsCarrier(
      natsOptions(nats.url, {}, () => new Uint8Array()),
      record.workspace,
    );
    atEnd(() => carrier.close());
    await connected(carrier, systemClock);
    const head = (await new SnapshotReader(carrier, sealer).head())!;
    const zeros = { path: "zeros.md", sha256: "0".repeat(64), isExecutable: false };
    const part = packer.encode([
      { ...zeros, deflated: deflateRawSync(Buffer.alloc(300 << 20), { level: 1 }) },
    ]);
    const parts = head.documentParts + head.fileParts;
    const digests = [...head.digests!, digestOf(part)];
    await carrier.put(partName(head.id, parts), sealer.seal(0, part));
    await carrier.put(
      headName(sealer.machine),
      sealer.seal(0, encodeHead({ ...head, fileParts: head.fileParts + 1, digests })),
    );
    const c = makeFolder({});
    atEnd(() => cli(c.root, ["stop"]));
    const { code, err, out } = await cli(c.root, ["join", line, c.root, "--name", "third", "--yes"]);
    expect(`${code} ${err} ${out}`).toContain("zeros.md is left out");
    expect(c.read("a.md")).toBe("one\n");
    expect(existsSync(c.at("zeros.md"))).toBe(false);
  });

  test("[MA250] a folder that joins gets no file that its level forbids to read", async () => {
    const files = { "open/a.md": "one\n", "secret/s.md": "secret\n" };
    const share = ["--allow", "secret/**=none", "--allow", "**=write"];
    const { a, b } = await pair(files, { share });
    await run(a, "append", "open/a.md", "two");
    await arrives(b, "open/a.md", "two");
    expect(existsSync(b.at("secret"))).toBe(false);
  });

  test("[MA33] a machine that was killed goes on; nothing is lost or twice", async () => {
    let daemon: Daemon | undefined;
    const serve = async (root: string) => {
      daemon = await startDaemon(root);
    };
    const { a, b } = await pair({ "a.md": "" }, { serve });
    for (let i = 0; i < 5; i++) {
      await run(a, "append", "a.md", `a${i}`);
      if (i === 2) await daemon?.kill();
      if (i === 2) await serveFolder(a.root);
      await run(b, "append", "a.md", `b${i}`);
    }
    const all = [0, 1, 2, 3, 4].flatMap((i) => [`a${i}`, `b${i}`]).sort();
    const linesOf = (folder: Folder) => folder.read("a.md").trim().split("\n").sort();
    await until(
      "all on both",
      () => [linesOf(a), linesOf(b)],
      ([x, y]) => `${x}` === `${all}` && `${y}` === `${all}`,
    );
  });

  test("[MA34] a copied folder works alone and says so; the original goes on", async () => {
    const { a, b } = await pair({ "a.md": "one\n" });
    const copy = makeFolder();
    await run(b, "stop");
    cpSync(b.root, join(copy.root, "copy"), { recursive: true });
    const daemon = await serveFolder(join(copy.root, "copy"));
    const status = await cli(daemon.root, ["machines"]);
    expect(status.out).toContain("works alone");
    await run(b, "start");
    await run(a, "append", "a.md", "two");
    await arrives(b, "a.md", "two");
  });

  test("[MA35] a machine that is removed learns nothing more; one that leaves keeps its files", async () => {
    const { a, b } = await pair({ "a.md": "one\n" });
    expect(EXAMPLES["machine.remove"]).toEqual({ machine: expect.any(String) });
    expect(methods["workspace.leave"].params.safeParse(EXAMPLES["workspace.leave"]).success).toBe(true);
    await run(a, "machines", "--remove", "laptop");
    await run(a, "append", "a.md", "secret");
    await run(b, "append", "a.md", "not counted");
    await until(
      "b's change",
      () => b.read("a.md"),
      (text) => text.includes("not counted"),
    );
    const other = makeFolder();
    const { line } = JSON.parse(await run(a, "share", "--json")) as { line: string };
    atEnd(() => cli(other.root, ["stop"]));
    await run(other, "join", line, other.root, "--name", "desk");
    expect(other.read("a.md")).toBe("one\nsecret\n");
    expect(b.read("a.md")).not.toContain("secret");
    await run(other, "leave");
    expect(other.read("a.md")).toBe("one\nsecret\n");
    expect(await run(other, "machines")).toContain("not shared");
  });

  test("[MA36, TM85] a share line that is cut, mistyped or of no use is refused with what helps", async () => {
    const nats = await NatsServer.start();
    const [a, b] = [makeFolder({ "a.md": "one\n" }), makeFolder()];
    await serveFolder(a.root);
    const { line } = JSON.parse(await run(a, "share", "--nats", nats.url, "--json")) as { line: string };
    const join = (given: string) => cli(b.root, ["join", given, b.root]);
    expect((await join(line.slice(0, -9))).err).toContain("end of the share line is missing");
    expect((await join("hello")).err).toContain("not a share line");
    expect((await cli(b.root, ["join", line, "/"])).err).toContain("does not serve /: it is the root");
    expect((await cli(a.root, ["join", line, a.root])).err).toContain("is shared already");
    await nats.kill();
    expect((await join(line)).code).toBe(1);
    const wrong = makeFolder({ "a.md": "" });
    await serveFolder(wrong.root);
    expect((await cli(wrong.root, ["share", "--nats", nats.url])).err).toContain("cannot be reached");
    expect((await cli(wrong.root, ["share"])).err).toContain("--nats");
    expect((await cli(wrong.root, ["leave"])).err).toContain("not shared");
  });
});
