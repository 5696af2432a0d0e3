import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { parseExposition } from "../protocol/parse-exposition.ts";
import { cli } from "./cli.ts";
import { logOf, type ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const SETTINGS = 'export default { legacyOps: false, log: { level: "debug" } };\n';

let folder: Folder;
let daemon: ServedFolder;
let client: Client;

beginShared(async () => {
  folder = makeFolder({ "daemon.config.ts": SETTINGS, "notes.md": "one\ntwo\nthree\n" });
  daemon = await serveFolder(folder.root);
  client = await daemon.connect({ name: "reviewer" });
});

describe("GET /metrics", () => {
  const get = (headers: Record<string, string>, method = "GET") =>
    fetch(`${daemon.located.url}/metrics`, { method, headers });
  const bearer = () => ({ authorization: `Bearer ${daemon.located.token}` });

  test("[ME4] answers a token in Prometheus' format", async () => {
    await client.request("edit.patch", { path: "notes.md", patch: "@@ -1,1 +1,1 @@\n-one\n+1\n" });
    const answer = await get(bearer());
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const families = parseExposition(await answer.text());
    expect(families.get("spliced_patches_total")?.samples[0]?.value).toBe(1);
    expect(families.get("spliced_connections")?.samples[0]?.value).toBe(1);
    expect(families.get("spliced_request_duration_seconds")?.type).toBe("histogram");
  });

  test("[ME4] refuses requests without a token, and methods other than GET", async () => {
    expect((await get({})).status).toBe(401);
    expect((await get({ authorization: "Bearer wrong" })).status).toBe(401);
    expect((await get({ ...bearer(), origin: "https://evil.example" })).status).toBe(403);
    expect((await get(bearer(), "POST")).status).toBe(405);
    expect(await (await get(bearer(), "HEAD")).text()).toBe("");
  });
});

describe("the command line", () => {
  test("[ME7] metrics prints the main figures, --json all of them", async () => {
    const printed = await cli(folder.root, ["metrics"]);
    expect(printed).toMatchObject({ code: 0, err: "" });
    expect(printed.out).toMatch(/^patches {6}\d+, \d+ of them did not fit; [\d.]+ ms on average$/m);
    expect(printed.out).toMatch(/^hello +\d+ .* ok$/m);
    const told = await cli(folder.root, ["metrics", "--json"]);
    expect(JSON.parse(told.out)).toMatchObject({ storeTrouble: null, documents: { pendingWrites: 0 } });
  });

  further("[ME11] call sends a request from its argument or standard input", async () => {
    const params = '{"path":"notes.md","lines":[2,2]}';
    const called = await cli(folder.root, ["call", "doc.read", params]);
    expect(JSON.parse(called.out)).toMatchObject({ path: "notes.md", text: "two\n" });
    expect((await cli(folder.root, ["call", "doc.read", "-"], { input: params })).out).toBe(called.out);
    expect(JSON.parse((await cli(folder.root, ["call", "rpc.discover"])).out)).toMatchObject({
      openrpc: "1.3.2",
    });
  });

  test("[ME11] a refused call exits with 1, parameters that are not a JSON object with 2", async () => {
    const refused = await cli(folder.root, ["call", "doc.read", '{"path":"none.md"}']);
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("NOT_FOUND") });
    expect(await cli(folder.root, ["call", "no.such"])).toMatchObject({ code: 1 });
    for (const junk of ["{", "[]", "7", "null"])
      expect(await cli(folder.root, ["call", "doc.list", junk])).toMatchObject({ code: 2, out: "" });
  });
});

test("[LG6] a workspace turns edit.legacy off", async () => {
  const edit = client.request("edit.legacy", { path: "notes.md", op: "insert", cursor: 0, content: "x" });
  await expect(edit).rejects.toMatchObject({
    code: "PERMISSION_DENIED",
    suggestion: expect.stringContaining("edit.patch"),
  });
});

further(
  "[ME10] secrets in texts, patches, messages and saves never reach the log, and no token does",
  async () => {
    const secret = "hunter2-correct-horse";
    const path = "secret.md";
    const refusal = { code: expect.any(String) };
    await client.request("subscribe", { pattern: "**" });
    await client.request("doc.create", { path, text: `${secret}\nplain\n` });
    await client.request("edit.replace", {
      path,
      old: "plain",
      new: `${secret}!`,
      message: secret,
      opId: secret,
    });
    const { version } = await client.request("doc.read", { path });
    await expect(
      client.request("edit.replace", { path, old: `no ${secret}`, new: "" }),
    ).rejects.toMatchObject(refusal);
    const patch = `@@ -1,1 +1,1 @@\n-not ${secret}\n+${secret}\n`;
    await expect(client.request("edit.patch", { path, patch })).rejects.toMatchObject(refusal);
    await expect(client.call("edit.append", { path, text: secret, [secret]: 1 })).rejects.toMatchObject(
      refusal,
    );
    await expect(client.call(secret, { [secret]: secret })).rejects.toMatchObject(refusal);
    await client.request("edit.splice", { path, splices: [{ from: 0, to: 0, insert: secret }], version });
    await client.request("diff.build", { original: secret, updated: `${secret}\n` });
    folder.write(path, `saved ${secret}\n`);
    await until(
      "the save is taken in",
      () => client.request("doc.read", { path }),
      ({ text }) => text.includes("saved"),
    );
    const marker = await client.request("edit.append", { path: "notes.md", text: "done\n" });
    const log = await until(
      "the log has the last edit",
      () => logOf(folder.root),
      (all) => all.includes(marker.changeId!),
    );
    expect(log).toContain('"outcome":"PATCH_REJECTED"');
    expect(log).toContain(`"path":"${path}"`);
    expect(log).not.toContain(secret);
    expect(log).not.toContain(daemon.located.token);
  },
);
