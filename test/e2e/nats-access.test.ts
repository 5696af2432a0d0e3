import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { nkeys } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";
import { further } from "../helpers/further.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { unable } from "./able.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { until } from "./until.ts";

type Env = Readonly<Record<string, string>>;

/** Starts a carrier; resolves once it told its first state: that it is connected, or the reason why not. */
async function begun(url: string, env: Env = {}): Promise<{ carrier: NatsCarrier; state: string }> {
  const carrier = new NatsCarrier(natsOptions(url, env, readFileSync), "test");
  onTestFinished(() => carrier.close());
  let state = "";
  const first = (told: string) => {
    state ||= told;
  };
  carrier.start(
    { message: () => undefined, word: () => undefined, connected: () => first("connected"), away: first },
    undefined,
  );
  await until("a state", () => state);
  return { carrier, state };
}

async function started(configuration: string, jetstream?: string): Promise<NatsServer> {
  const server = await NatsServer.start(configuration, jetstream);
  onTestFinished(() => server.kill());
  return server;
}

const one = Uint8Array.of(1);

describe.skipIf(unable("access to NATS", natsMissing()))("access to NATS", () => {
  test("[CR19] is by a user's password, and a wrong one is named without secrets", async () => {
    const server = await started('authorization { user: "me", password: "hid den" }');
    const { carrier, state } = await begun(server.url, {
      SPLICED_NATS_USER: "me",
      SPLICED_NATS_PASSWORD: "hid den",
    });
    expect(state).toBe("connected");
    await carrier.publish("ma", 1, one);
    expect((await begun(server.url.replace("//", "//me:hid%20den@"))).state).toBe("connected");
    const wrong = await begun(server.url.replace("//", "//me:hidden@"));
    expect(wrong.state).toMatch(/Authorization Violation/);
    expect(wrong.state).not.toContain("hid");
    expect((await begun(server.url)).state).toMatch(/Authorization Violation/);
  });

  test("[CR19] is by a token", async () => {
    const server = await started('authorization { token: "hidden" }');
    expect((await begun(server.url, { SPLICED_NATS_TOKEN: "hidden" })).state).toBe("connected");
    expect((await begun(server.url, { SPLICED_NATS_TOKEN: "wrong" })).state).not.toMatch(/connected|wrong/);
  });

  test("[CR19] is by an nkey in a file", async () => {
    const pair = nkeys.createUser();
    const server = await started(`authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }`);
    const folder = makeFolder({ "user.nk": pair.getSeed(), "other.nk": nkeys.createUser().getSeed() });
    expect((await begun(server.url, { SPLICED_NATS_NKEY: folder.at("user.nk") })).state).toBe("connected");
    const other = await begun(server.url, { SPLICED_NATS_NKEY: folder.at("other.nk") });
    expect(other.state).toMatch(/Authorization Violation/);
  });

  test("[CR19] is by a .creds file", async () => {
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
    const name = account.getPublicKey();
    const unlimited = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1, subs: -1, data: -1 };
    const limits = {
      ...unlimited,
      payload: -1,
      imports: -1,
      exports: -1,
      wildcards: true,
      conn: -1,
      leaf: -1,
    };
    const operatorJwt = jwt(operator, operator.getPublicKey(), { type: "operator", version: 2 });
    const accountJwt = jwt(operator, name, { type: "account", version: 2, limits });
    const system = nkeys.createAccount().getPublicKey();
    const systemJwt = jwt(operator, system, {
      type: "account",
      version: 2,
      limits: { subs: -1, data: -1, payload: -1, conn: -1 },
    });
    const userJwt = jwt(account, user.getPublicKey(), {
      ...{ type: "user", version: 2, pub: {}, sub: {}, subs: -1, data: -1, payload: -1 },
    });
    const server = await started(
      `operator: ${operatorJwt}\nsystem_account: ${system}\nresolver: MEMORY\nresolver_preload: { ${name}: ${accountJwt}, ${system}: ${systemJwt} }`,
    );
    const seed = new TextDecoder().decode(user.getSeed());
    const folder = makeFolder({
      "user.creds": `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    });
    const { carrier, state } = await begun(server.url, { SPLICED_NATS_CREDS: folder.at("user.creds") });
    expect(state).toBe("connected");
    await carrier.publish("ma", 1, one);
    expect((await carrier.newest("ma"))?.number).toBe(1);
    expect((await begun(server.url)).state).toMatch(/Authorization Violation/);
  });

  further("[CR20] is encrypted, by servers and for clients with certificates of an authority", async () => {
    const folder = certificates();
    const server = await started(
      `tls { cert_file: "${folder.at("server.pem")}", key_file: "${folder.at("server.key")}", ca_file: "${folder.at("ca.pem")}", verify: true }`,
    );
    const CA = { SPLICED_NATS_CA: folder.at("ca.pem") };
    const own = { SPLICED_NATS_CERT: folder.at("client.pem"), SPLICED_NATS_KEY: folder.at("client.key") };
    const { carrier, state } = await begun(server.url, { ...CA, ...own });
    expect(state).toBe("connected");
    await carrier.publish("ma", 1, one);
    expect((await begun(server.url.replace("nats:", "tls:"), { ...CA, ...own })).state).toBe("connected");
    // Without the authority the carrier refuses the server; without a certificate the server refuses the carrier.
    expect((await begun(server.url, own)).state).toMatch(/certificate/);
    expect((await begun(server.url, CA)).state).not.toBe("connected");
  });

  test("[CR20] is refused to a server without encryption when encryption is asked for", async () => {
    const server = await started("");
    expect((await begun(server.url.replace("nats:", "tls:"))).state).toMatch(/tls/);
  });

  test("[CR21] refuses what a user may not publish, and says so", async () => {
    const allowed = '["$JS.>", "sp.test.log.ma", "_INBOX.>"]';
    const server = await started(
      `authorization { users: [ { user: "me", password: "p", permissions: { publish: ${allowed}, subscribe: ">" } } ] }`,
    );
    const { carrier, state } = await begun(server.url.replace("//", "//me:p@"));
    expect(state).toBe("connected");
    await carrier.publish("ma", 1, one);
    await expect(carrier.publish("mb", 1, one)).rejects.toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/Permissions Violation.*sp\.test\.log\.mb/i),
    });
    await carrier.publish("ma", 2, one);
  });

  test("[CR21] refuses what is larger than a server's own limit", async () => {
    const server = await started("max_payload: 65536");
    const { carrier, state } = await begun(server.url);
    expect(state).toBe("connected");
    expect(carrier.maxBytes).toBeLessThan(65536);
    await carrier.publish("ma", 1, new Uint8Array(carrier.maxBytes));
    await expect(carrier.publish("ma", 2, new Uint8Array(carrier.maxBytes + 1))).rejects.toMatchObject({
      kind: "refused",
      message: expect.stringContaining("max_payload"),
    });
    await carrier.put("large", new Uint8Array(300_000));
    expect((await carrier.get("large"))?.length).toBe(300_000);
  });

  test("[CR21] refuses when the server's storage is full", async () => {
    const full = await started("", "max_file_store: 1MB");
    const { carrier, state } = await begun(full.url);
    expect(state).toBe("connected");
    const large = new Uint8Array(400_000);
    const refused = async () => {
      for (let number = 1; number < 9; number++) await carrier.publish("ma", number, large);
    };
    await expect(refused()).rejects.toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/resources|maximum/),
    });
    expect((await carrier.newest("ma"))?.number).toBeGreaterThan(0);
  });
});

/** Returns a signed token as NATS has them, with what NATS reads of it. */
function jwt(issuer: nkeys.KeyPair, subject: string, nats: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iat: 1, iss: issuer.getPublicKey(), sub: subject, name: "test", nats };
  const jti = createHash("sha256").update(JSON.stringify(claims)).digest("hex");
  const signed = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part({ jti, ...claims })}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`;
}

/** Returns a folder with an authority's certificate, and certificates of a server and a client that it signed. */
function certificates(): Folder {
  const folder = makeFolder({ "names.cnf": "subjectAltName=IP:127.0.0.1" });
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder.root, stdio: "pipe" });
  const request = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...request,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=authority",
    "-days",
    "2",
  );
  for (const name of ["server", "client"]) {
    openssl("req", ...request, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    openssl(
      ...["x509", "-req", "-in", `${name}.csr`, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
      ...["-days", "2", "-extfile", "names.cnf", "-out", `${name}.pem`],
    );
  }
  return folder;
}
