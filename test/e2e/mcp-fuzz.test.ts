import { describe, expect, test } from "vitest";
import { Generator, type Schema } from "../fuzz/generate.ts";
import { write } from "../fuzz/json.ts";
import { KnownValues, MARKER } from "../fuzz/known-values.ts";
import { mutated, mutatedEnvelope } from "../fuzz/mutate.ts";
import { Seeded } from "../helpers/seeded.ts";
import { beginShared } from "../helpers/shared.ts";
import { type Besieged, besiege, HANGS_MS, HELD } from "./besieged.ts";
import { times } from "./long.ts";
import { within } from "./until.ts";

const COUNT = times(60, 1_000_000);
const SEED = Number(process.env["SEED"] ?? 1);
/** Statuses that the door answers with. */
const STATUSES = [200, 202, 400, 404, 405, 406, 413, 415];
/** Requests under way at once. */
const TOGETHER = 8;
const PATIENCE_MS = 30_000;

const URIS = [
  "spliced://doc/notes/a.md",
  "spliced://doc/hidden/a.md",
  "spliced://doc/../hidden/a.md",
  "spliced://doc/%2e%2e/%2e%2e/etc/passwd",
  "spliced://doc//etc/passwd",
  "spliced://doc/.spliced/daemon.json",
  "spliced://doc/a%00b",
  "spliced://doc/%ff",
  "spliced://",
  "file:///etc/passwd",
  "http://127.0.0.1:1/",
  "",
  `spliced://doc/${"x/".repeat(5_000)}`,
];

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
}

let besieged: Besieged;
let tools: readonly Tool[];
/** A session of each token. */
let sessions: readonly string[];

beginShared(async () => {
  besieged = await besiege();
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  };
  const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const begun = besieged.tokens.map(async (token) => {
    const response = await post(token, JSON.stringify(hello));
    await response.text();
    return response.headers.get("mcp-session-id")!;
  });
  sessions = await Promise.all(begun);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const listed = await post(besieged.tokens[0]!, JSON.stringify(list), sessions[0]);
  tools = (messagesOf(await listed.text())[0] as { result: { tools: Tool[] } }).result.tools;
});

function post(token: string, body: string, session?: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const url = `${besieged.daemon.located.url}/mcp`;
  return within("an answer", fetch(url, { method: "POST", headers, body }), PATIENCE_MS);
}

/** The JSON of a body, which may be a stream of events. */
function messagesOf(body: string): unknown[] {
  if (body.startsWith("{") || body.startsWith("[")) return [JSON.parse(body)];
  return [...body.matchAll(/^data: ([^\n]+)/gm)].map(([, json]) => JSON.parse(json!));
}

/** Makes valid and invalid calls of tools and resources. */
function requestsOf(random: Seeded): () => string {
  const generator = new Generator(random, new KnownValues(random).hint);
  let ids = 1;
  const call = () => {
    const { name, inputSchema } = random.pick(tools);
    return ["tools/call", { name, arguments: generator.value(inputSchema) }] as const;
  };
  const others = [
    () => ["resources/read", { uri: random.pick(URIS) }] as const,
    () => ["resources/subscribe", { uri: random.pick(URIS) }] as const,
    () => ["resources/list", { cursor: random.pick(["", "x", "-1", "1e9"]) }] as const,
    () => ["tools/list", { cursor: random.pick(["", "zz"]) }] as const,
    () => ["tools/call", { name: random.pick(["", "__proto__", "nope"]), arguments: {} }] as const,
    () => ["prompts/get", { name: "x" }] as const,
    () => ["ping", {}] as const,
  ];
  return () => {
    const [method, params] = random.chance(0.7) ? call() : random.pick(others)();
    const request = { jsonrpc: "2.0", id: ++ids, method, params };
    return random.weighted([
      [5, () => write(request)],
      [4, () => write({ ...request, params: mutated(params, random) })],
      [1, () => mutatedEnvelope(request, random)],
    ])();
  };
}

/** Returns the fault of an answer; undefined when it has none. */
async function problemOf(response: Response): Promise<string | undefined> {
  const body = await within("a whole answer", response.text(), PATIENCE_MS);
  if (body.includes(MARKER)) return "told what is hidden";
  if (!STATUSES.includes(response.status)) return `status ${response.status}: ${body.slice(0, 200)}`;
  if (/INTERNAL|the daemon failed to perform this request|\bat \S+ \(.*:\d+:\d+\)/.test(body))
    return body.slice(0, 400);
  const untyped = messagesOf(body)
    .flat()
    .filter((message) => !isTyped(message));
  return untyped.length === 0 ? undefined : `untyped: ${JSON.stringify(untyped).slice(0, 300)}`;
}

function isTyped(message: unknown): boolean {
  const { result, error, method } = message as {
    result?: object;
    error?: { code: unknown };
    method?: string;
  };
  return method !== undefined || result !== undefined || Number.isInteger(error?.code);
}

describe("MCP requests made to harm", () => {
  test(
    `[FZ1, FZ2, FZ3] ${COUNT} of them are answered as MCP answers, tell nothing hidden, and hold nobody up`,
    async () => {
      const random = new Seeded(SEED);
      const next = requestsOf(random);
      const problems: string[] = [];
      const one = async () => {
        const who = random.int(sessions.length);
        const session = random.weighted<string | undefined>([
          [18, sessions[who]],
          [1, random.pick(["none", "x".repeat(5_000), sessions[(who + 1) % sessions.length]!])],
          [1, undefined],
        ]);
        const body = next();
        const problem = await post(besieged.tokens[who]!, body, session).then(problemOf).catch(String);
        if (problem !== undefined) problems.push(`seed ${SEED}: ${problem} to ${body.slice(0, 300)}`);
      };
      const { longest, ...siege } = await besieged.stands(`seed ${SEED}, ${COUNT} MCP requests`, async () => {
        for (let i = 0; i < COUNT && problems.length < 20; i += TOGETHER)
          await Promise.all(Array.from({ length: Math.min(TOGETHER, COUNT - i) }, one));
      });
      expect(problems).toEqual([]);
      expect(siege).toEqual(HELD);
      expect(longest).toBeLessThan(HANGS_MS);
    },
    60_000 + COUNT * 100,
  );
});
