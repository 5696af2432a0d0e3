import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, lstatSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { createOwn, flushNames } from "../../state/own.ts";
import { readSealed, type Sealed, sealed } from "../../state/seal.ts";
import { StateError } from "../../state/trust.ts";
import { RESERVED_NAMES } from "../../workspace/access/actor.ts";
import { type AccessRule, CONFLICT_POLICIES, LEVELS } from "../../workspace/access/rights.ts";
import { ruleGlobProblem } from "./token-rules.ts";

/** The error for tokens that cannot be read or changed. The message has the reason and the remedy. */
export class TokensError extends Error {
  override readonly name = "TokensError";
  /** `foreign`: the file is intact, but this user did not make it in this folder, so its tokens are not valid. */
  readonly kind: "damaged" | "foreign";

  constructor(message: string, kind: "damaged" | "foreign" = "damaged") {
    super(message);
    this.kind = kind;
  }
}

/** The file's name in messages. */
const FILE_NAME = ".spliced/tokens.json";

/** The name of the token in daemon.json. */
export const OWNER = "owner";

const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    error:
      "a name has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit",
  })
  .refine((name) => !isReserved(name), { error: "the daemon uses that name itself; choose another" });

const ruleSchema = z.strictObject({
  glob: z.string().superRefine((glob, context) => {
    const problem = ruleGlobProblem(glob);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  }),
  level: z.enum(LEVELS),
  conflict: z.enum(CONFLICT_POLICIES).optional(),
});

const tokenSchema = z.strictObject({
  name: nameSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: "must be 64 hex digits" }),
  createdAt: z.iso.datetime(),
  rules: z.array(ruleSchema).min(1),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  tokens: z.array(tokenSchema).superRefine((tokens, context) => {
    for (const [i, { name, sha256 }] of tokens.entries())
      if (tokens.slice(0, i).some((other) => isSameName(other.name, name) || other.sha256 === sha256))
        context.addIssue({ code: "custom", path: [i, "name"], message: `${name} appears twice` });
  }),
});

/** A token's name, rules and digest, and never the token. */
export type TokenRecord = z.infer<typeof tokenSchema>;

/** Returns the SHA-256 of a token, in hex. */
export function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Reads the tokens of a workspace; none when there is no file. @throws TokensError when it is damaged or foreign */
export function readTokens(file: string): readonly TokenRecord[] {
  const read = readFile(file);
  if (read === undefined) return [];
  const tokens = tokensIn(read.content);
  if (read.genuine) return tokens;
  throw new TokensError(
    `the daemon ignores ${FILE_NAME}, because spliced did not write it in this folder: it is from a download, a copy, ` +
      "or an edit by hand. If it is yours, run: spliced adopt. Otherwise remove it",
    "foreign",
  );
}

/** Makes the tokens of a foreign file valid here, and returns them; none when the file is not foreign. */
export async function adoptTokens(file: string): Promise<readonly TokenRecord[]> {
  const read = readFile(file);
  if (read === undefined || read.genuine) return [];
  await replace(file, () => tokensIn(read.content));
  return tokensIn(read.content);
}

function readFile(file: string): Sealed | undefined {
  try {
    return readSealed(file);
  } catch (error) {
    if (error instanceof StateError) throw new TokensError(error.message);
    if (error instanceof SyntaxError) throw new TokensError(`${FILE_NAME} is damaged: it is not JSON`);
    throw new TokensError(`${FILE_NAME} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function tokensIn(content: unknown): readonly TokenRecord[] {
  const checked = fileSchema.safeParse(content);
  if (checked.success) return checked.data.tokens;
  const { path, message } = checked.error.issues[0]!;
  const at = path.length === 0 ? "" : `${path.map(String).join(".")}: `;
  throw new TokensError(`${FILE_NAME} is damaged: ${at}${message}`);
}

/** Creates a token and returns it. Only its digest is stored. @throws TokensError when the name is taken or invalid */
export async function addToken(file: string, name: string, rules: readonly AccessRule[]): Promise<string> {
  const problem = nameSchema.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw new TokensError(`${JSON.stringify(name)}: ${problem}`);
  const token = randomBytes(32).toString("base64url");
  const record = { name, sha256: digestOf(token), createdAt: new Date().toISOString(), rules: [...rules] };
  await change(file, (tokens) => {
    const taken = tokens.find((other) => isSameName(other.name, name));
    if (taken !== undefined)
      throw new TokensError(
        `there is already a token ${taken.name}; revoke it first, or choose another name`,
      );
    return [...tokens, record];
  });
  return token;
}

/** Removes a token. @throws TokensError when there is no such token */
export async function revokeToken(file: string, name: string): Promise<void> {
  await change(file, (tokens) => {
    const left = tokens.filter((token) => token.name !== name);
    if (left.length === tokens.length)
      throw new TokensError(`there is no token ${JSON.stringify(name)}; see: spliced token list`);
    return left;
  });
}

/** The longest wait for another command that changes the tokens. */
const PATIENCE_MS = 2_000;
const POLL_MS = 10;

/** Replaces the whole file. Meanwhile a second file beside it prevents other commands from changing the tokens. */
function change(
  file: string,
  work: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  return replace(file, () => work(readTokens(file)));
}

async function replace(file: string, work: () => readonly TokenRecord[]): Promise<void> {
  const aside = `${file}.new`;
  const fd = await openAside(aside);
  try {
    writeSync(fd, sealed(file, { version: 1, tokens: work() }));
    fsyncSync(fd);
    renameSync(aside, file);
    flushNames(dirname(file)); // a power cut must not bring a revoked token back
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

async function openAside(aside: string): Promise<number> {
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      return createOwn(aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const began = lstatSync(aside, { throwIfNoEntry: false })?.mtimeMs;
    if (waited >= PATIENCE_MS)
      throw new TokensError(
        `another command has been changing the tokens since ${new Date(began ?? Date.now()).toISOString()}; ` +
          `if no command is running, remove ${aside}`,
      );
    await wait(POLL_MS);
  }
}

function isReserved(name: string): boolean {
  return [OWNER, ...RESERVED_NAMES].some((own) => isSameName(own, name));
}

/** Returns whether people could mix up two names. */
function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
