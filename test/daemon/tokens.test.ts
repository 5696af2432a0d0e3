import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { addToken, readTokens, revokeToken } from "../../src/daemon/tokens/token-file.ts";
import { formatRule, parseRule, unreachableRule } from "../../src/daemon/tokens/token-rules.ts";
import { Tokens } from "../../src/daemon/tokens/tokens.ts";
import { sealed } from "../../src/state/seal.ts";
import type { AccessRule } from "../../src/workspace/access/rights.ts";

const RULES: AccessRule[] = [{ glob: "docs/**", level: "read" }];

function tokensFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "spliced-tokens-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "tokens.json");
}

/** Returns a daemon's tokens for a file, and its log lines. */
function watched(file: string): { tokens: Tokens; logged: string[] } {
  const logged: string[] = [];
  const log = (_level: string, event: string, details: object) =>
    void logged.push(`${event} ${JSON.stringify(details)}`);
  return { tokens: new Tokens(file, "the owner's", log), logged };
}

/** Changes a file and seals it, as the owner's commands do. */
function rewrite(file: string, work: (content: string) => string): void {
  writeFileSync(file, sealed(file, contentOf(work(readFileSync(file, "utf8")))));
}

function contentOf(text: string): unknown {
  return (JSON.parse(text) as { content: unknown }).content;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

describe("a rule", () => {
  const read: [written: string, formatted: string][] = [
    ["docs/**=read", "docs/**=read"],
    ["docs/**=write:ask", "docs/**=write:ask"],
    ["docs/**=write:merge", "docs/**=write:merge"],
    ["a=b.md=propose", "a=b.md=propose"],
    ["**=ReadOnly", "**=read"],
    ["**=ReadWrite", "**=write:disk"],
    ["**=Admin", "**=admin:agent"],
    ["**=Human", "**=write:ask"],
    ["**=Partner", "**=write:ask"],
    ["**=Partner:merge", "**=write:merge"],
  ];
  for (const [written, formatted] of read)
    test(`[RI3] ${written} is ${formatted}`, () =>
      expect(formatRule(parseRule(written) as AccessRule)).toBe(formatted));

  const wrong: [written: string, message: RegExp][] = [
    ["docs/**", /<glob>=<level>/],
    ["=read", /missing/],
    ["docs/**=reed", /the levels are none, read, propose, append, write, admin, ReadOnly/],
    ["docs/**=constructor", /there is no level/],
    ["docs/**=write:mine", /the policies are merge, disk, agent, ask/],
    ["docs/**=write:ask:ask", /no conflict policy/],
    ["docs/=none", /docs\/\*\*/],
    ["/docs/**=read", /relative/],
    ["../**=read", /relative/],
    ["docs/./a=read", /relative/],
    ["docs//a=read", /relative/],
    ["docs\\**=read", /backslash/],
    ["!docs/**=read", /=none/],
    ["@(a|b)=read", /group, which globs do not support/],
    ["[0-9]+=read", /repeats the part before it/],
    [`${"a".repeat(1001)}=read`, /1000/],
  ];
  for (const [written, message] of wrong)
    test(`[RI19] ${written.slice(0, 30)} is refused with the reason`, () =>
      expect(parseRule(written)).toMatch(message));

  test("[RI3] after a rule for every path has no effect", () => {
    const everywhere: AccessRule = { glob: "**", level: "read", conflict: "merge" };
    expect(unreachableRule([...RULES, everywhere])).toBeUndefined();
    expect(unreachableRule([everywhere, ...RULES])).toBe(RULES[0]);
  });
});

describe("tokens.json", () => {
  test("[RI4] contains digests and never a token, and only its owner can read it", async () => {
    const file = tokensFile();
    const token = await addToken(file, "reader", RULES);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(token);
    expect(readTokens(file)).toMatchObject([{ name: "reader", rules: RULES }]);
  });

  test("[RI20] keeps all tokens that are added at the same time", async () => {
    const file = tokensFile();
    const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const tokens = await Promise.all(names.map((name) => addToken(file, name, RULES)));
    expect(
      readTokens(file)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
    expect(new Set(tokens).size).toBe(12);
  });

  test("[RI20] stays unchanged when a change fails", async () => {
    const file = tokensFile();
    await addToken(file, "reader", RULES);
    const before = readFileSync(file, "utf8");
    await expect(revokeToken(file, "nobody")).rejects.toThrow(/no token "nobody"/);
    await expect(addToken(file, "Reader", RULES)).rejects.toThrow(/there is already a token reader/);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(statSync(`${file}.new`, { throwIfNoEntry: false })).toBeUndefined();
  });

  for (const name of ["owner", "Owner", "disk", "spliced", "a/b", "a b", "", ".", "é", "x".repeat(65), "a\n"])
    test(`[RI23] refuses a token called ${JSON.stringify(name.slice(0, 10))}`, async () =>
      expect(addToken(tokensFile(), name, RULES)).rejects.toThrow(/name/));
});

describe("a running daemon", () => {
  test("[RI5, RI25] accepts a token until it is revoked, and logs both events without the token", async () => {
    const file = tokensFile();
    const { tokens, logged } = watched(file);
    expect(tokens.find("the owner's")?.name).toBe("owner");
    const token = await addToken(file, "reader", RULES);
    const holder = tokens.find(token);
    expect(holder?.name).toBe("reader");
    expect(holder?.rights.levelAt("docs/a.md")).toBe("read");
    await addToken(file, "other", RULES);
    expect(tokens.holds(holder!)).toBe(true);
    await revokeToken(file, "reader");
    expect(tokens.holds(holder!)).toBe(false);
    expect(tokens.find(token)).toBeUndefined();
    expect(logged).toEqual([
      'token.added {"token":"reader","allow":["docs/**=read"]}',
      'token.added {"token":"other","allow":["docs/**=read"]}',
      'token.revoked {"token":"reader"}',
    ]);
  });

  test("[RI5] treats a token with changed rules as another token", async () => {
    const file = tokensFile();
    const { tokens } = watched(file);
    const token = await addToken(file, "reader", RULES);
    const holder = tokens.find(token)!;
    rewrite(file, (content) => content.replace('"read"', '"none"'));
    expect(tokens.holds(holder)).toBe(false);
    expect(tokens.find(token)?.rights.levelAt("docs/a.md")).toBe("none");
  });

  const damages: [name: string, damage: (content: string) => string][] = [
    ["half of it", (content) => content.slice(0, content.length / 2)],
    ["nothing", () => ""],
    ["another version", (content) => content.replace('"version": 1', '"version": 2')],
    ["an unknown level", (content) => content.replace('"read"', '"everything"')],
    ["a glob that leads out", (content) => content.replace("docs/**", "../**")],
    ["no rules", (content) => content.replace(/"rules": \[[^\]]*\]/, '"rules": []')],
    ["the owner's name", (content) => content.replace("reader", "owner")],
    ["the same name twice", (content) => content.replace("other", "Reader")],
    ["an unknown field", (content) => content.replace('"version": 1', '"version": 1, "admin": true')],
  ];
  for (const [name, damage] of damages)
    test(`[RI6] accepts only the owner's token while the file has ${name}`, async () => {
      const file = tokensFile();
      const token = await addToken(file, "reader", RULES);
      await addToken(file, "other", RULES);
      const { tokens, logged } = watched(file);
      const holder = tokens.find(token)!;
      const sound = readFileSync(file, "utf8");
      expect(damage(sound)).not.toBe(sound);
      const damaged = damage(sound);
      writeFileSync(file, isJson(damaged) ? sealed(file, contentOf(damaged)) : damaged);
      expect(tokens.find(token)).toBeUndefined();
      expect(tokens.holds(holder)).toBe(false);
      expect(tokens.find("the owner's")?.name).toBe("owner");
      expect(tokens.damage?.message).toMatch(/tokens\.json is damaged/);
      expect(logged).toMatchObject([expect.stringContaining("tokens.damaged")]);
      await expect(addToken(file, "third", RULES)).rejects.toThrow(/damaged/);
      writeFileSync(file, sound);
      expect(tokens.find(token)?.name).toBe("reader");
      expect(tokens.damage).toBeUndefined();
    });

  test("[RI41] reads a file again that it could not read, as without a free descriptor, though it stays the same", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const home = process.env["XDG_STATE_HOME"]!;
    onTestFinished(() => {
      vi.useRealTimers();
      process.env["XDG_STATE_HOME"] = home;
    });
    const file = tokensFile();
    const token = await addToken(file, "reader", RULES);
    const { tokens, logged } = watched(file);
    expect(tokens.find(token)?.name).toBe("reader");
    writeFileSync(file, readFileSync(file));
    const notFolder = `${file}.no-folder`;
    writeFileSync(notFolder, "");
    process.env["XDG_STATE_HOME"] = notFolder; // this user's key cannot be read there
    for (let i = 0; i < 3; i++) {
      expect(tokens.find(token)).toBeUndefined();
      vi.advanceTimersByTime(1_000);
    }
    expect(logged).toHaveLength(1);
    process.env["XDG_STATE_HOME"] = home;
    expect(tokens.find(token)?.name).toBe("reader");
    expect(tokens.damage).toBeUndefined();
  });
});
