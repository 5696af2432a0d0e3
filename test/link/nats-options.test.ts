import { describe, expect, test } from "vitest";
import { NatsOptionsError, redacted } from "../../src/link/carrier/nats-address.ts";
import { NatsCarrier } from "../../src/link/carrier/nats-carrier.ts";
import { natsOptions } from "../../src/link/carrier/nats-options.ts";

const FILES: Readonly<Record<string, string>> = {
  "/user.creds": "-----BEGIN NATS USER JWT-----",
  "/seed.nk": "SUABC\n",
  "/password": "hidden\n",
  "/ca.pem": "CA",
  "/cert.pem": "CERT",
  "/key.pem": "KEY",
};
const bytes = (text: string) => new TextEncoder().encode(text);

function options(urls: string, env: Record<string, string> = {}) {
  return natsOptions(urls, env, (path) => {
    const content = FILES[path];
    if (content === undefined) throw new Error(`no file ${path}`);
    return bytes(content);
  });
}

describe("options for NATS", () => {
  test("[CR22] name servers, their ports and whether they are encrypted", () => {
    expect(options("nats://a.example,b.example:5000, nats://[::1]:1")).toEqual({
      servers: [
        { host: "a.example", port: 4222 },
        { host: "b.example", port: 5000 },
        { host: "::1", port: 1 },
      ],
      credentials: undefined,
      tls: undefined,
    });
    expect(options("tls://a.example").tls).toEqual({});
  });

  test.each([
    ["nats://me:se%40cret@a", {}, { kind: "user", user: "me", password: "se@cret" }],
    ["nats://t0ken@a", {}, { kind: "token", token: "t0ken" }],
    ["nats://t@a,nats://t@b", {}, { kind: "token", token: "t" }],
    ["nats://a", { USER: "me", PASSWORD: "p" }, { kind: "user", user: "me", password: "p" }],
    [
      "nats://a",
      { USER: "me", PASSWORD_FILE: "/password" },
      { kind: "user", user: "me", password: "hidden" },
    ],
    ["nats://a", { TOKEN: "t" }, { kind: "token", token: "t" }],
    ["nats://a", { TOKEN_FILE: "/password" }, { kind: "token", token: "hidden" }],
    ["nats://a", { NKEY: "/seed.nk" }, { kind: "nkey", seed: bytes("SUABC") }],
    ["nats://a", { CREDS: "/user.creds" }, { kind: "creds", file: bytes(FILES["/user.creds"]!) }],
  ])("[CR22] have credentials in %s and %j", (urls, env, credentials) => {
    expect(options(urls, environment(env)).credentials).toEqual(credentials);
  });

  test("[CR22] have certificates in files", () => {
    const env = environment({ CA: "/ca.pem", CERT: "/cert.pem", KEY: "/key.pem" });
    expect(options("nats://a", env).tls).toEqual({ ca: "CA", cert: "CERT", key: "KEY" });
    expect(options("nats://a", environment({ CA: "/ca.pem" })).tls).toEqual({ ca: "CA" });
  });

  test.each([
    ["ws://me:hidden@a", {}, "…@a is neither nats:// nor tls://"],
    ["nats://me:hidden@", {}, "is no URL of a NATS server"],
    ["nats://me:hidden@a/path", {}, "has more than host and port"],
    ["nats://me:hidden@a:99999", {}, "is no URL of a NATS server"],
    ["nats://me:hid/hidden@a", {}, '"nats://…@a" is no URL of a NATS server'],
    ["nats://me:hidden,hidden@a", {}, '"nats://…@a" is no URL of a NATS server'],
    ["", {}, '"" names no host'],
    ["nats://me:hidden@a", { TOKEN: "hidden" }, "several credentials are given for NATS (user, token)"],
    ["nats://a", { USER: "me" }, "SPLICED_NATS_USER and SPLICED_NATS_PASSWORD belong together"],
    ["nats://a", { PASSWORD: "hidden" }, "SPLICED_NATS_USER and SPLICED_NATS_PASSWORD belong together"],
    ["nats://a", { CERT: "/cert.pem" }, "SPLICED_NATS_CERT and SPLICED_NATS_KEY belong together"],
    ["nats://a", { CREDS: "/none" }, "the file of SPLICED_NATS_CREDS cannot be read: no file /none"],
  ])("[CR22] are refused: %s and %j", (urls, env, message) => {
    const refused = () => options(urls, environment(env));
    expect(refused).toThrow(NatsOptionsError);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow("hidden");
  });

  test("[CR22] show no secret of a URL", () => {
    expect(redacted("nats://me:p@ss@a:1,b,t@c")).toBe("nats://…@c");
    expect(redacted("nats://a,b:1")).toBe("nats://a,b:1");
  });

  test("[CR22] name a workspace that can stand in a subject", () => {
    expect(() => new NatsCarrier(options("nats://a"), "a.b")).toThrow("NATS takes no workspace named a.b");
  });
});

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [`SPLICED_NATS_${name}`, value]));
}
