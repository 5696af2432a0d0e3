import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client/node.ts";
import { approveConfig, loadConfig } from "../../src/daemon/config/config.ts";
import { type Daemon, startDaemon } from "../../src/daemon/daemon.ts";
import { BrowserSignIns } from "../../src/daemon/tokens/sign-ins.ts";
import { addToken, adoptTokens, digestOf } from "../../src/daemon/tokens/token-file.ts";
import { Tokens } from "../../src/daemon/tokens/tokens.ts";
import { folderWith, isRoot, STRANGER } from "../helpers/hostile.ts";

const RULES = [{ glob: "**", level: "admin", conflict: "merge" }] as const;
const PLANTED_TOKEN = "planted";
const TOKENS = JSON.stringify({
  version: 1,
  tokens: [
    { name: "mallory", sha256: digestOf(PLANTED_TOKEN), createdAt: "2026-01-01T00:00:00.000Z", rules: RULES },
  ],
});

async function serve(root: string): Promise<Daemon> {
  const daemon = await startDaemon({ root, port: 0 });
  onTestFinished(() => daemon.close());
  return daemon;
}

describe("a hostile checkout", () => {
  test("[SF1] a daemon does not start with links in place of tmp or a log file, and empties nothing behind them (I17)", async () => {
    const outside = folderWith({ "doc_a.1-1": "precious\n", "probe-a": "precious\n" });
    const root = folderWith({ "notes.md": "one\n", ".spliced/store/.keep": "" });
    symlinkSync(outside, join(root, ".spliced/tmp"));
    await expect(startDaemon({ root, port: 0 })).rejects.toThrow(/tmp is a link.*Remove the link/);
    expect(["doc_a.1-1", "probe-a"].map((name) => readFileSync(join(outside, name), "utf8"))).toEqual([
      "precious\n",
      "precious\n",
    ]);
    expect(existsSync(join(root, ".spliced/daemon.lock"))).toBe(false);
  });

  test("[SF1, SF8, SF9] a daemon uses none of a checkout's links in tmp, tokens, sign-ins and store", async () => {
    const outside = folderWith({ precious: "precious\n" });
    const root = folderWith({
      "notes.md": "one\n",
      ".spliced/tokens.json": TOKENS,
      ".spliced/sign-ins.json": JSON.stringify([{ sha256: digestOf("baked"), token: "owner", until: 9e15 }]),
      ".spliced/store/data.mdb": "not a database",
    });
    mkdirSync(join(root, ".spliced/tmp"));
    for (const name of ["doc_a.1-1", "probe-a", "probe-b"])
      symlinkSync(join(outside, "precious"), join(root, ".spliced/tmp", name));
    const { info } = await serve(root);
    const client = await connect({ ...info, name: "owner", reconnect: false });
    await client.edit.append({ path: "notes.md", text: "two\n" });
    await client.close();
    expect(readFileSync(join(root, "notes.md"), "utf8")).toBe("one\ntwo\n");
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious\n");
    const authorization = { authorization: `Bearer ${PLANTED_TOKEN}` };
    expect((await fetch(`${info.url}/session`, { headers: authorization })).status).toBe(401);
    const cookie = { cookie: `spliced-${new URL(info.url).port}=baked` };
    expect((await fetch(`${info.url}/session`, { headers: cookie })).status).toBe(401);
    const { problems } = (await (await fetch(`${info.url}/health`)).json()) as { problems: object[] };
    expect(problems).toMatchObject([
      { what: "store", kind: "unknown", advice: expect.stringContaining("spliced adopt") },
      { what: "tokens", kind: "foreign", advice: expect.stringContaining("spliced adopt") },
    ]);
  });
});

describe("planted rights", () => {
  const log = () => undefined;

  test("[SF8] tokens that this user did not seal are not valid until they are adopted", async () => {
    const file = join(folderWith({ "tokens.json": TOKENS }), "tokens.json");
    const tokens = new Tokens(file, "the owner's", log);
    expect([tokens.find(PLANTED_TOKEN), tokens.damage?.kind]).toEqual([undefined, "foreign"]);
    await expect(addToken(file, "mine", RULES)).rejects.toThrow(/spliced adopt/);
    expect(await adoptTokens(file)).toMatchObject([{ name: "mallory" }]);
    expect([tokens.find(PLANTED_TOKEN)?.name, tokens.damage]).toEqual(["mallory", undefined]);
    expect(await adoptTokens(file)).toEqual([]);
  });

  test("[SF8] only sign-ins that this daemon wrote keep browsers signed in", () => {
    const file = join(folderWith(), "sign-ins.json");
    const tokens = new Tokens(join(folderWith(), "tokens.json"), "the owner's", log);
    const pass = new BrowserSignIns(file, tokens, log).begin(tokens.owner, undefined);
    expect(new BrowserSignIns(file, tokens, log).find(pass)?.name).toBe("owner");
    writeFileSync(file, readFileSync(file, "utf8").replace(digestOf(pass.cookie), digestOf("baked")));
    expect(new BrowserSignIns(file, tokens, log).find({ ...pass, cookie: "baked" })).toBeUndefined();
  });
});

describe("a configuration", () => {
  const SETTINGS = "export default { port: 8001 };\n";
  const problem = (root: string, file?: string) => loadConfig(root, file).then(String, String);

  test("[SF4] that others can write does not run", async () => {
    const root = folderWith({ "daemon.config.mjs": SETTINGS });
    chmodSync(join(root, "daemon.config.mjs"), 0o666);
    expect(await problem(root)).toMatch(/does not run .*\(mode 666\).*chmod go-w/s);
  });

  test.runIf(isRoot)("[SF4] that belongs to another user does not run", async () => {
    const root = folderWith({ "daemon.config.mjs": SETTINGS });
    chownSync(join(root, "daemon.config.mjs"), STRANGER, STRANGER);
    expect(await problem(root)).toMatch(/does not run .*: it belongs to user 65534/);
  });

  test("[SF21] that is code is not run before this user approved it as it is", async () => {
    const code = "globalThis.ran = (globalThis.ran ?? 0) + 1;\nexport default { port: 8000 + 2 };\n";
    const root = folderWith({ "daemon.config.mjs": code });
    const ran = () => (globalThis as { ran?: number }).ran;
    expect(await problem(root)).toMatch(/does not run .*code.*spliced trust/s);
    expect(ran()).toBeUndefined();
    expect(approveConfig(root)).toMatchObject({ code: true });
    expect((await loadConfig(root)).config.port).toBe(8002);
    expect(ran()).toBe(1);
    writeFileSync(join(root, "daemon.config.mjs"), `${code}// changed\n`);
    expect(await problem(root)).toMatch(/does not run .*code/);
    expect((await loadConfig(root, join(root, "daemon.config.mjs"))).config.port).toBe(8002);
  });

  test("[SF21] approved in one workspace is not approved in another", async () => {
    const code = "export default { port: 8000 + 3 };\n";
    const [one, other] = [
      folderWith({ "daemon.config.mjs": code }),
      folderWith({ "daemon.config.mjs": code }),
    ];
    approveConfig(one);
    expect((await loadConfig(one)).config.port).toBe(8003);
    expect(await problem(other)).toMatch(/does not run .*code/);
  });

  test("[SF4] that is a link runs if it leads into the workspace or the user named it, and otherwise does not", async () => {
    const [root, outside] = [folderWith({ "sub/a.mjs": SETTINGS }), folderWith({ "a.mjs": SETTINGS })];
    symlinkSync("sub/a.mjs", join(root, "daemon.config.ts"));
    expect((await loadConfig(root)).config.port).toBe(8001);
    const other = folderWith();
    symlinkSync(join(outside, "a.mjs"), join(other, "daemon.config.ts"));
    expect(await problem(other)).toMatch(/leads out of the workspace/);
    expect((await loadConfig(other, join(outside, "a.mjs"))).config.port).toBe(8001);
  });
});
