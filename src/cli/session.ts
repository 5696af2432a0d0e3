import {
  type Client,
  connect,
  DisconnectedError,
  documentPath,
  type Located,
  provenDaemon,
  RefusedError,
} from "../client/index.ts";
import { userName } from "../user-name.ts";
import { CommandError, EXIT } from "./output.ts";

/** Options that every command talking to a daemon has. */
export interface Common {
  readonly json?: boolean;
  readonly agent?: string;
}

export interface Talk {
  readonly client: Client;
  readonly located: Located;
  /** A path as typed, as the document is named. */
  readonly pathOf: (typed: string) => string;
}

/** Talks to the daemon of the workspace that the current folder is in. @throws CommandError */
export async function talk(options: Common, work: (talk: Talk) => Promise<void>): Promise<void> {
  const located = await provenHere(process.cwd(), "this folder");
  let client: Client;
  try {
    client = await connect({
      ...located,
      name: options.agent ?? userName() ?? "person",
      reconnect: false,
    });
  } catch (error) {
    throw await said(error);
  }
  try {
    await work({
      client,
      located,
      pathOf: (typed) => documentPath(located.root, process.cwd(), typed),
    });
  } catch (error) {
    throw await said(error);
  } finally {
    await client.close();
  }
}

/** The daemon of a folder, which has proved itself, so that it may be sent a token. @throws CommandError */
export async function provenHere(folder: string, shown: string): Promise<Located> {
  try {
    const located = await provenDaemon(folder);
    if (located !== undefined) return located;
  } catch (error) {
    if (!(error instanceof DisconnectedError)) throw error;
    throw new CommandError(EXIT.noDaemon, error.message, "start one with: spliced start");
  }
  throw new CommandError(EXIT.noDaemon, `no daemon serves ${shown}`, "start one here with: spliced start");
}

async function said(error: unknown): Promise<unknown> {
  if (error instanceof RefusedError) {
    const { code, message, details, suggestion } = error;
    const hint = (await doubts(error)) ?? suggestion;
    return new CommandError(EXIT.refused, `${code}: ${message}`, hint, {
      code,
      message,
      details,
      suggestion,
    });
  }
  if (error instanceof DisconnectedError)
    return new CommandError(EXIT.noDaemon, error.message, "see what the daemon says with: spliced status");
  return error;
}

/** What there is to look at before it is confirmed; the schema that reads it is loaded only then. */
async function doubts({ code, details }: RefusedError): Promise<string | undefined> {
  if (code !== "CONFIRMATION_REQUIRED") return undefined;
  const { doubtsOf } = await import("./doubts.ts");
  return doubtsOf(details);
}
