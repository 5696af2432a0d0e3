import type { Seeded } from "../helpers/seeded.ts";
import { Raw, write } from "./json.ts";

/** Invalid values, by kind. */
const ODD: readonly (() => unknown)[] = [
  ...[-1, 0, 0.5, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, -(2 ** 63)].map((n) => () => n),
  ...["1e999", "-1e999", "-0", "1E-400", "123456789012345678901234567890"].map((n) => () => new Raw(n)),
  ...["", " ", "NaN", "Infinity", "null", "true", "-1", "0", "__proto__", "constructor", "toString"].map(
    (s) => () => s,
  ),
  ...["\ud800", "a\udc00b", "\0", "\u202e", "\ufeff", "\uffff", "\u200b", "👩‍👩‍👧", "ａ", "\r", "\u2028"].map(
    (s) => () => s,
  ),
  ...["../../etc/passwd", "%2e%2e/x", "/etc/passwd", "a//b", "a\\b", ".spliced/daemon.json"].map(
    (s) => () => s,
  ),
  () => "x".repeat(5_000),
  () => "ü".repeat(200_000),
  () => "(".repeat(2_000),
  () => "@@ -1 +1 @@\n".repeat(500),
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => Array.from({ length: 2_000 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i])),
  () => nested(10),
  () => nested(2_000),
  () => nested(200_000),
  () => new Raw('{"__proto__":{"path":"a.md","rights":{}}}'),
  () => new Raw('{"constructor":{"prototype":{"admin":true}}}'),
  () => new Raw('{"path":"notes/a.md","path":"hidden/a.md"}'),
];

const KEYS = [
  "__proto__",
  "constructor",
  "toJSON",
  "then",
  "length",
  "",
  "path",
  "version",
  "\ud800",
  "k".repeat(5_000),
];

function nested(depth: number): Raw {
  return new Raw("[".repeat(depth) + "]".repeat(depth));
}

/** Returns a value with one or a few of its parts replaced by invalid ones. */
export function mutated(value: unknown, random: Seeded): unknown {
  let out = value;
  for (let i = random.int(3); i >= 0; i--) out = once(out, random);
  return out;
}

function once(value: unknown, random: Seeded): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const at = random.int(value.length);
    if (random.chance(0.1)) return [...value, ...value, value[at]];
    return value.map((item, i) => (i === at ? once(item, random) : item));
  }
  if (isPlain(value) && random.chance(0.9)) return changedObject(value, random);
  if (typeof value === "string" && random.chance(0.5)) return changedString(value, random);
  return random.pick(ODD)();
}

function changedObject(value: Record<string, unknown>, random: Seeded): unknown {
  const entries = Object.entries(value);
  const at = random.int(Math.max(1, entries.length));
  switch (entries.length === 0 ? 0 : random.int(6)) {
    case 0:
      return Object.fromEntries([...entries, [random.pick(KEYS), random.pick(ODD)()]]);
    case 1:
      return Object.fromEntries(entries.filter((_, i) => i !== at));
    default:
      return Object.fromEntries(
        entries.map(([key, inner], i) => [key, i === at ? once(inner, random) : inner]),
      );
  }
}

function changedString(value: string, random: Seeded): string {
  const at = random.int(value.length + 1);
  const odd = random.pick(["\ud83d", "\0", "\r", "/", "..", "*", "(", "\\", "\u0301", "\ud800\udc00", " "]);
  return value.slice(0, at) + odd + value.slice(at);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Raw);
}

/** Returns a request with an invalid envelope. */
export function mutatedEnvelope(request: Record<string, unknown>, random: Seeded): string {
  switch (random.int(8)) {
    case 0:
      return write([request, request]);
    case 1:
      return write({ ...request, id: random.pick(ODD)() });
    case 2:
      return write({ ...request, jsonrpc: random.pick<unknown>(["1.0", 2, null, "2.0 "]) });
    case 3:
      return write({
        ...request,
        method: random.pick<unknown>(["rpc.", "toString", "__proto__", 1, "x".repeat(5_000)]),
      });
    case 4:
      return write({ ...request, params: random.pick<unknown>([[], [1], "x", null, 1]) });
    case 5: {
      const text = write(request);
      return text.slice(0, random.int(text.length));
    }
    case 6: {
      const text = write(request);
      const at = random.int(text.length);
      return (
        text.slice(0, at) +
        random.pick(["\0", '"', "}", "\ud800", ",", "\\", "[".repeat(1_000)]) +
        text.slice(at + 1)
      );
    }
    default:
      return random.pick(["", " ", "null", "[]", "{}", "NaN", "\ufeff{}", '"x"', "{".repeat(100_000)]);
  }
}
