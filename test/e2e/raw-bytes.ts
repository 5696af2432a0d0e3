import type { Seeded } from "../helpers/seeded.ts";

/** The bytes that a client sends over one socket. */
export interface Spoken {
  readonly kind: string;
  readonly pieces: readonly Buffer[];
  /** Milliseconds between the pieces. */
  readonly restMs: number;
  /** The client leaves without reading the answer. */
  readonly leaves: boolean;
  /** The HTTP statuses that an answer may have. */
  readonly expects?: readonly number[];
}

export interface Target {
  readonly url: string;
  readonly tokens: readonly string[];
  /** Valid and invalid JSON-RPC. */
  readonly frame: () => string;
}

const CRLF = "\r\n";
const TEXT = 1;
const CLOSE = 8;
const PING = 9;

/** Returns the bytes of an answer up to its body, as text. */
export function head(bytes: Buffer): string {
  return bytes.toString("latin1").split(`${CRLF}${CRLF}`, 1)[0]!;
}

/** Returns the code of the close frame at the end of a server's frames; undefined without one. */
export function closeCodeOf(bytes: Buffer): number | undefined {
  let at = head(bytes).length + 4;
  while (at + 2 <= bytes.length) {
    const opcode = bytes[at]! & 0x0f;
    let length = bytes[at + 1]! & 0x7f;
    at += 2;
    if (length === 126) length = bytes.readUInt16BE(at);
    else if (length === 127) length = Number(bytes.readBigUInt64BE(at));
    if (bytes[at - 1] === 126) at += 2;
    else if (bytes[at - 1] === 127) at += 8;
    if (opcode === CLOSE) return length >= 2 ? bytes.readUInt16BE(at) : 1005;
    at += length;
  }
  return undefined;
}

/** Returns one WebSocket frame as a client sends it; options change its parts. */
function frameOf(
  payload: Buffer,
  { first = 0x80 | TEXT, masked = true, claims = payload.length } = {},
): Buffer {
  const mask = masked ? 0x80 : 0;
  const long = Buffer.alloc(claims < 126 ? 0 : claims < 65_536 ? 2 : 8);
  if (long.length === 2) long.writeUInt16BE(claims);
  if (long.length === 8) long.writeBigUInt64BE(BigInt(claims));
  const short = long.length === 0 ? claims : long.length === 2 ? 126 : 127;
  // A mask of zeros does not change the payload.
  return Buffer.concat([Buffer.of(first, mask | short), long, Buffer.alloc(masked ? 4 : 0), payload]);
}

/** Makes bytes of many kinds that no client sends. */
export function speech(random: Seeded, { url, tokens, frame }: Target): () => Spoken {
  const { host } = new URL(url);
  const bearer = () => `authorization: Bearer ${random.pick(tokens)}`;
  const upgrade = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
  const path = () =>
    random.pick(["/rpc", "/loro", "/mcp", "/", "/health", "/../etc/passwd", "/%00", "/rpc/x", "*"]);
  const request = (line: string, ...headers: string[]) =>
    Buffer.from([line, ...headers, "", ""].join(CRLF), "latin1");
  const upgraded = (at: string) => request(`GET ${at} HTTP/1.1`, `host: ${host}`, bearer(), ...upgrade, key);
  const noise = (bytes: number) => Buffer.from(random.bytes(bytes));
  const hello = frameOf(
    Buffer.from('{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":1,"agent":{"name":"raw"}}}'),
  );
  const said = (kind: string, pieces: readonly Buffer[], more: Partial<Spoken> = {}): Spoken => {
    return { kind, pieces, restMs: 0, leaves: false, ...more };
  };
  const ws = (kind: string, ...frames: Buffer[]) =>
    said(kind, [upgraded(random.pick(["/rpc", "/loro"])), hello, ...frames], { expects: [101] });
  const REFUSED = [400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 431, 501, 505];

  const http: (() => Spoken)[] = [
    () => said("noise", [noise(random.between(1, 300))], { expects: REFUSED }),
    () => said("no host", [request(`GET ${path()} HTTP/1.1`, ...upgrade, key)], { expects: REFUSED }),
    () => {
      const strange = random.pick([
        "evil.example",
        "127.0.0.1.evil.example",
        `${host}@evil.example`,
        "[::1",
        "",
        "a".repeat(2_000),
      ]);
      return said(
        "strange host",
        [request("GET /rpc HTTP/1.1", `host: ${strange}`, bearer(), ...upgrade, key)],
        { expects: REFUSED },
      );
    },
    () => {
      const origin = random.pick([
        "https://evil.example",
        "null",
        `http://${host}.evil.example`,
        "file://",
        "\u00ff",
        "http://",
      ]);
      return said(
        "strange origin",
        [request("GET /rpc HTTP/1.1", `host: ${host}`, `origin: ${origin}`, bearer(), ...upgrade, key)],
        { expects: REFUSED },
      );
    },
    () => {
      const token = random.pick([
        "Bearer",
        "Bearer ",
        "Basic eDp5",
        `Bearer ${"x".repeat(4_000)}`,
        "Bearer \u00ff\u00fe",
        "bearer null",
      ]);
      return said(
        "strange token",
        [request("GET /rpc HTTP/1.1", `host: ${host}`, `authorization: ${token}`, ...upgrade, key)],
        { expects: REFUSED },
      );
    },
    () =>
      said(
        "huge headers",
        [request(`GET ${path()} HTTP/1.1`, `host: ${host}`, `x-much: ${"x".repeat(100_000)}`)],
        { expects: REFUSED },
      ),
    () =>
      said("many headers", [
        request(
          `GET ${path()} HTTP/1.1`,
          `host: ${host}`,
          ...Array.from({ length: 3_000 }, (_, i) => `x${i}: y`),
        ),
      ]),
    () =>
      said("long line", [request(`GET /${"a".repeat(70_000)} HTTP/1.1`, `host: ${host}`)], {
        expects: REFUSED,
      }),
    () =>
      said(
        "two lengths",
        [
          request("POST /mcp HTTP/1.1", `host: ${host}`, bearer(), "content-length: 3", "content-length: 5"),
          noise(8),
        ],
        { expects: REFUSED },
      ),
    () =>
      said(
        "smuggled",
        [
          request(
            "POST /mcp HTTP/1.1",
            `host: ${host}`,
            bearer(),
            "content-length: 4",
            "transfer-encoding: chunked",
          ),
          Buffer.from("0\r\n\r\nGET /health HTTP/1.1\r\n\r\n"),
        ],
        { expects: REFUSED },
      ),
    () =>
      said(
        "bad chunk",
        [
          request(
            "POST /mcp HTTP/1.1",
            `host: ${host}`,
            bearer(),
            "content-type: application/json",
            "accept: */*",
            "transfer-encoding: chunked",
          ),
          Buffer.from("ffffffffffffffff\r\nx"),
        ],
        { leaves: true },
      ),
    () =>
      said("strange method", [
        request(
          `${random.pick(["BREW", "CONNECT", "get", "TRACE", "PRI"])} ${path()} HTTP/${random.pick(["1.1", "2.0", "9.9", "1"])}`,
          `host: ${host}`,
        ),
      ]),
    () =>
      said(
        "dripping",
        [...request("GET /rpc HTTP/1.1", `host: ${host}`).subarray(0, 20)].map((byte) => Buffer.of(byte)),
        { restMs: 5 },
      ),
    () => said("half open", []),
    () => said("cut off", [upgraded("/rpc").subarray(0, random.between(1, 120))], { leaves: true }),
  ];
  const frames: (() => Spoken)[] = [
    () => ws("bad opcode", frameOf(noise(5), { first: 0x80 | random.pick([3, 4, 7, 11, 15]) })),
    () => ws("reserved bits", frameOf(noise(5), { first: 0xf0 | TEXT })),
    () => ws("not masked", frameOf(Buffer.from(frame()), { masked: false })),
    () => ws("not UTF-8", frameOf(Buffer.of(0xff, 0xfe, 0xc0, 0x80))),
    () => ws("binary", frameOf(noise(300), { first: 0x82 })),
    () =>
      ws(
        "claims much",
        frameOf(noise(20), { claims: random.pick([48 << 20, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]) }),
      ),
    () => ws("continues nothing", frameOf(noise(5), { first: 0x80 })),
    () => ws("fragmented ping", frameOf(noise(5), { first: PING })),
    () => ws("long ping", frameOf(noise(126), { first: 0x80 | PING })),
    () => ws("many pings", ...Array.from({ length: 200 }, () => frameOf(noise(4), { first: 0x80 | PING }))),
    () =>
      ws(
        "text in text",
        frameOf(Buffer.from("{"), { first: TEXT }),
        frameOf(Buffer.from("}"), { first: TEXT }),
      ),
    () =>
      ws(
        "many fragments",
        frameOf(Buffer.from("["), { first: TEXT }),
        ...Array.from({ length: 500 }, () => frameOf(Buffer.from("["), { first: 0 })),
      ),
    () =>
      ws(
        "bad close",
        frameOf(
          random.pick([Buffer.of(0), Buffer.of(0, 1), Buffer.of(0x03, 0xed), Buffer.of(0xff, 0xff, 0xff)]),
          { first: 0x80 | CLOSE },
        ),
      ),
    () => ws("noise after hello", noise(random.between(1, 2_000))),
    () => ws("frames of JSON", ...Array.from({ length: 5 }, () => frameOf(Buffer.from(frame())))),
    () => ws("cut frame", frameOf(Buffer.from(frame())).subarray(0, 3)),
  ];
  return () => random.pick(random.chance(0.5) ? http : frames)();
}
