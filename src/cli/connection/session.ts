import { type BriefClient, briefClient } from "../../client/brief.ts";
import type { Client } from "../../client/client.ts";
import { DisconnectedError, RefusedError } from "../../client/errors.ts";
import { givenToken, withGivenToken } from "../../client/given-token.ts";
import { documentPath, type Located, lookForDaemon } from "../../client/locate.ts";
import { provenDaemon } from "../../client/prove.ts";
import { userName } from "../../user-name.ts";
import { CommandError, EXIT } from "../terminal/output.ts";
import { inCommands, methodsInCommands, parametersInCommands } from "../terminal/suggestions.ts";

/** The options that every command has. */
export interface Common {
  readonly json?: boolean;
  readonly agent?: string;
}

interface Session {
  readonly client: BriefClient;
  readonly located: Located;
  /** Returns the document's path in the workspace for a path as typed. */
  readonly pathOf: (typed: string) => string;
}

/**
 * The form in which a person gave the parameters of requests, and in which refusals name them: as options and arguments,
 * as JSON for a command, or as the parameters of a method.
 */
export type Given = "options" | "json" | "method";

/** Makes the requests of `work` to the daemon that serves the current folder. @throws CommandError */
export async function talk(
  options: Common,
  work: (session: Session) => Promise<void>,
  given?: Given,
): Promise<void> {
  await talkTo(await provenHere(process.cwd(), "this folder"), options, work, given);
}

/** Makes the requests of `work` to a daemon that has proved itself. @throws CommandError */
export async function talkTo(
  located: Located,
  options: Common,
  work: (session: Session) => Promise<void>,
  given: Given = "options",
): Promise<void> {
  const greeting = { protocol: 1, agent: { name: nameOf(options) }, role: "person" } as const;
  await inWords(given, () =>
    work({
      client: briefClient(located, greeting),
      located,
      pathOf: (typed) => pathIn(located, typed),
    }),
  );
}

/** Runs `work` with a client that stays connected to the current folder's daemon. @throws CommandError */
export async function follow(
  options: Common,
  work: (client: Client, pathOf: Session["pathOf"]) => Promise<void>,
): Promise<void> {
  const located = await provenHere(process.cwd(), "this folder");
  const { connect } = await import("../../client/node.ts");
  await inWords("options", async () => {
    const client = await connect({ ...located, name: nameOf(options), role: "person", reconnect: false });
    await work(client, (typed) => pathIn(located, typed)).finally(() => client.close());
  });
}

/**
 * Returns the document's path in the workspace for a path as typed, which is relative to the present folder. @throws
 * CommandError for the workspace itself, and for a path outside
 */
export function pathIn({ tree }: Pick<Located, "tree">, typed: string): string {
  const path = documentPath(tree, process.cwd(), typed);
  if (path === ".." || path.startsWith("../")) throw outside(typed, tree);
  if (path !== "") return path;
  const problem = `${typed === "" ? "an empty path" : typed} names no document`;
  throw new CommandError(EXIT.usage, problem, "list the documents with: spliced ls");
}

/** Returns the error for a path outside the workspace, with the words of the person and the daemon's code. */
function outside(typed: string, tree: string): CommandError {
  const code = "PATH_ESCAPE";
  const message = `${typed} is outside the workspace ${tree}`;
  const suggestion = "Name a file in the workspace. A path counts from the present folder.";
  return new CommandError(EXIT.refused, `${code}: ${message}`, suggestion, {
    code,
    message,
    details: {},
    suggestion,
  });
}

/** Opens connections of an agent. */
export interface AgentConnections {
  /** With the token in SPLICED_TOKEN, or else the owner's. */
  readonly connect: (reconnect: boolean) => Promise<Client>;
  /** With the owner's token. */
  readonly connectOwner: () => Promise<Client>;
}

/** Runs `work` with connections of an agent to a folder's daemon. @throws CommandError */
export async function answering(
  { root }: Located,
  name: string,
  work: (connections: AgentConnections) => Promise<void>,
): Promise<void> {
  const { connect } = await import("../../client/node.ts");
  const agent = { folder: root, name, role: "agent" } as const;
  const token = givenToken();
  await inWords("options", () =>
    work({
      connect: (reconnect) => connect({ ...agent, token, reconnect }),
      connectOwner: () => connect(agent),
    }),
  );
}

/** Returns the author's name. */
function nameOf({ agent }: Common): string {
  return agent ?? userName() ?? "person";
}

/**
 * Finds the daemon of a folder, which has proved that it is this user's. It may therefore receive a token: the one in
 * SPLICED_TOKEN, or else the owner's. `name` is the folder as errors name it. @throws CommandError
 */
export async function provenHere(folder: string, name: string): Promise<Located> {
  try {
    const located = await provenDaemon(folder);
    if (located !== undefined) return withGivenToken(located);
  } catch (error) {
    if (!(error instanceof DisconnectedError)) throw error;
    throw new CommandError(EXIT.noDaemon, error.message, remedyFor(folder));
  }
  throw new CommandError(EXIT.noDaemon, `no daemon serves ${name}`, remedyFor(folder));
}

/** Runs `work`; a person reads its refusals and lost connections as CommandErrors. */
async function inWords(given: Given, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw await commandError(error, given);
  }
}

/** Returns the error that a person reads for a refusal or a lost connection; any other error as it is. */
async function commandError(error: unknown, given: Given): Promise<unknown> {
  if (error instanceof RefusedError) {
    const { code, details } = error;
    if (isForeignToken(error)) return foreignToken();
    const { message, hint: suggestion } = worded(error, given);
    const hint = (await confirmation(error)) ?? suggestion;
    const refusal = { code, message, details, suggestion };
    const reasons = [`${codeOf(error)}: ${message}`, ...otherReasons(details, given)];
    return new CommandError(EXIT.refused, reasons.join("\n"), hint, refusal);
  }
  if (error instanceof DisconnectedError)
    return new CommandError(EXIT.noDaemon, error.message, "check the daemon with: spliced status");
  return error;
}

const WORDS: Readonly<Record<Given, (message: string) => string>> = {
  options: inCommands,
  json: methodsInCommands,
  method: (message) => message,
};

function worded({ message, suggestion, details }: RefusedError, given: Given) {
  const parameters = given === "options" ? parametersInCommands(message, details) : undefined;
  const words = WORDS[given];
  return parameters ?? { message: words(message), hint: suggestion && words(suggestion) };
}

/** Returns a line for each further reason of a refusal, such as of the other files of a proposal. */
function otherReasons({ errors = [] }: { readonly errors?: unknown }, given: Given): string[] {
  const [, ...others] = errors as (Parameters<typeof codeOf>[0] & { readonly message: string })[];
  return others.map((error) => `${codeOf(error)}: ${WORDS[given](error.message)}`);
}

/** Returns the code of a refusal; of a patch that does not fit with the reason, which docs/patches.md explains. */
export function codeOf({
  code,
  details,
}: {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}): string {
  const reason = details?.["reason"];
  return code === "PATCH_REJECTED" && reason !== undefined ? `${code} (${reason})` : code;
}

/** Returns whether a daemon refused the token that SPLICED_TOKEN names. */
export function isForeignToken(error: unknown): boolean {
  return givenToken() !== undefined && error instanceof RefusedError && error.code === "UNAUTHENTICATED";
}

export function foreignToken(): CommandError {
  return new CommandError(EXIT.refused, "the token in SPLICED_TOKEN is not a token of this workspace");
}

/** Lists the places to check before an edit is confirmed. Only then the schema that reads them is loaded. */
async function confirmation({ code, details }: RefusedError): Promise<string | undefined> {
  if (code !== "CONFIRMATION_REQUIRED") return undefined;
  const { confirmationHint } = await import("../terminal/confirmation.ts");
  return confirmationHint(details);
}

/** Returns what to do in a folder whose daemon does not answer. */
export function remedyFor(folder: string): string {
  const found = lookForDaemon(folder);
  if (found.kind === "located" && found.located.began !== "")
    return `its process ${found.located.pid} runs; if this command is in a sandbox without network, run it outside of the sandbox`;
  const remedy = "start one here with: spliced start";
  if (found.kind === "doubtful")
    return `${remedy}; if a daemon serves it from outside of this container, give the container its key (docs/operating.md)`;
  if (found.kind !== "ended") return remedy;
  return `${remedy}; if this command is in a container or sandbox, a daemon may run outside (process ${found.located.pid} there): run it there`;
}
