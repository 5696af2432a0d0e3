import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { Access, isDenied } from "../../src/transport/access.ts";
import { EVERYTHING } from "../../src/workspace/rights.ts";
import { signInsOf } from "../helpers/sign-ins.ts";

const OWNER = { name: "owner", rights: EVERYTHING };
const keys = { find: (token: string) => (token === "secret" ? OWNER : undefined), holds: () => true };
const door = new Access({ keys, signIns: signInsOf(OWNER), allowedHosts: ["dev.local"], port: () => 7754 });

function request(headers: Record<string, string | undefined>): IncomingMessage {
  return {
    headers: { host: "127.0.0.1:7754", authorization: "Bearer secret", ...headers },
  } as unknown as IncomingMessage;
}

/** Who is let in with these headers, or with which status not. */
function admit(headers: Record<string, string | undefined>): string | number {
  const admitted = door.admit(request(headers));
  return isDenied(admitted) ? admitted.status : admitted.name;
}

describe("the door", () => {
  const cases: [name: string, headers: Record<string, string | undefined>, result: string | number][] = [
    ["the token", {}, "owner"],
    ["localhost", { host: "localhost:7754" }, "owner"],
    ["an allowed host", { host: "DEV.local:9000" }, "owner"],
    ["IPv6 loopback", { host: "[::1]:7754" }, "owner"],
    ["its own origin", { origin: "http://127.0.0.1:7754" }, "owner"],
    [
      "its own origin through a forwarded port",
      { host: "localhost:9000", origin: "http://localhost:9000" },
      "owner",
    ],
    ["its own origin behind a proxy with TLS", { host: "dev.local", origin: "https://dev.local" }, "owner"],
    ["the origin of another port there", { host: "dev.local", origin: "https://dev.local:8443" }, 403],
    ["no token", { authorization: undefined }, 401],
    ["a wrong token", { authorization: "Bearer Secret" }, 401],
    ["a token of another scheme", { authorization: "Basic secret" }, 401],
    ["a rebound host", { host: "evil.example:7754" }, 403],
    ["no host", { host: undefined }, 403],
    ["a host with a user", { host: "127.0.0.1@evil.example" }, 403],
    ["a foreign origin", { origin: "https://evil.example" }, 403],
    ["an origin on another port", { origin: "http://127.0.0.1:8080" }, 403],
    ["a null origin", { origin: "null" }, 403],
    ["a signed-in browser", { authorization: undefined, cookie: "a=b; spliced-7754=baked" }, "owner"],
    ["a wrong cookie", { authorization: undefined, cookie: "spliced-7754=raw" }, 401],
    ["the cookie of another port", { authorization: undefined, cookie: "spliced-7755=baked" }, 401],
    [
      "a cookie sent along by a page on another port",
      { authorization: undefined, cookie: "spliced-7754=baked", "sec-fetch-site": "same-site" },
      401,
    ],
    ["an invitation where none is taken up", { authorization: "Bearer come" }, 401],
  ];
  for (const [name, headers, result] of cases)
    test(`[AC1] ${name}: ${result}`, () => expect(admit(headers)).toBe(result));

  test("[AC2] a token or an invitation signs a browser in, a cookie does not", () => {
    const signIn = (headers: Record<string, string>) => {
      const asking = door.signingIn(request({ authorization: undefined, ...headers }));
      return isDenied(asking) ? asking.status : asking.name;
    };
    expect(signIn({ authorization: "Bearer secret" })).toBe("owner");
    expect(signIn({ authorization: "Bearer come" })).toBe("owner");
    expect(signIn({ cookie: "spliced-7754=baked" })).toBe(401);
    expect(signIn({ authorization: "Bearer come", origin: "https://evil.example" })).toBe(403);
  });
});
