import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { Access, isDenied } from "../../src/transport/access.ts";
import { chosenAmong, SECRET_HEADER, subprotocolsOf } from "../../src/transport/page-secret.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { signInsOf } from "../helpers/sign-ins.ts";

const OWNER = { name: "owner", rights: FULL_RIGHTS };
const keys = { find: (token: string) => (token === "secret" ? OWNER : undefined), holds: () => true };
const door = new Access({ keys, signIns: signInsOf(OWNER), allowedHosts: ["dev.local"], port: () => 7754 });

/** The headers of a signed-in browser. */
const browser = { authorization: undefined, cookie: "spliced-7754=baked", [SECRET_HEADER]: "kept" };

function request(headers: Record<string, string | undefined>): IncomingMessage {
  return {
    headers: { host: "127.0.0.1:7754", authorization: "Bearer secret", ...headers },
  } as unknown as IncomingMessage;
}

/** Returns the name of the admitted holder, or the status of the refusal. */
function admit(headers: Record<string, string | undefined>): string | number {
  const admitted = door.admit(request(headers));
  return isDenied(admitted) ? admitted.status : admitted.name;
}

describe("access", () => {
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
    ["a signed-in browser", { ...browser, cookie: "a=b; spliced-7754=baked" }, "owner"],
    ["its cookie without the page’s secret", { ...browser, [SECRET_HEADER]: undefined }, 401],
    ["its cookie with a wrong secret", { ...browser, [SECRET_HEADER]: "guessed" }, 401],
    ["the page’s secret without the cookie", { ...browser, cookie: undefined }, 401],
    ["a wrong cookie", { ...browser, cookie: "spliced-7754=raw" }, 401],
    ["the cookie of another port", { ...browser, cookie: "spliced-7755=baked" }, 401],
    ["what a page on another port sends along", { ...browser, "sec-fetch-site": "same-site" }, 401],
    [
      "a signed-in browser’s WebSocket",
      {
        ...browser,
        [SECRET_HEADER]: undefined,
        "sec-websocket-protocol": subprotocolsOf("kept").join(", "),
      },
      "owner",
    ],
    ["an invitation where none is taken up", { authorization: "Bearer come" }, 401],
  ];
  for (const [name, headers, result] of cases)
    test(`[AC1, BR1] ${name}: ${result}`, () => expect(admit(headers)).toBe(result));

  const told: [name: string, headers: Record<string, string | undefined>, message: RegExp][] = [
    [
      "a cookie without its secret",
      { ...browser, [SECRET_HEADER]: undefined },
      /its secret.*spliced-page-secret/,
    ],
    ["a sign-in that ended", { ...browser, cookie: "spliced-7754=raw" }, /sign-in has ended/],
    ["no credentials", { authorization: undefined }, /^send Authorization: Bearer/],
    [
      "another Host",
      { host: "evil.example:7754" },
      /^this daemon does not serve the Host "evil\.example:7754", but 127\.0\.0\.1, localhost, \[::1\], dev\.local; `allowedHosts`/,
    ],
  ];
  for (const [name, headers, message] of told)
    test(`[AC9] ${name} is told what is missing`, () =>
      expect(door.admit(request(headers))).toMatchObject({ message: expect.stringMatching(message) }));

  test("[BR10] the answer to a page’s WebSocket contains no secret, and other clients get the subprotocol they request", () => {
    expect(chosenAmong(new Set(subprotocolsOf("kept")))).toBe("spliced");
    expect(chosenAmong(new Set(subprotocolsOf("kept").reverse()))).toBe("spliced");
    expect(chosenAmong(new Set(["loro"]))).toBe("loro");
    expect(chosenAmong(new Set(subprotocolsOf("kept").slice(1)))).toBe(false);
  });

  test("[AC2] a token or an invitation signs a browser in, a cookie does not", () => {
    const signIn = (headers: Record<string, string>) => {
      const asking = door.signingIn(request({ authorization: undefined, ...headers }));
      return isDenied(asking) ? asking.status : asking.name;
    };
    expect(signIn({ authorization: "Bearer secret" })).toBe("owner");
    expect(signIn({ authorization: "Bearer come" })).toBe("owner");
    expect(signIn({ cookie: "spliced-7754=baked", [SECRET_HEADER]: "kept" })).toBe(401);
    expect(signIn({ authorization: "Bearer come", origin: "https://evil.example" })).toBe(403);
  });
});
