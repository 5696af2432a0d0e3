import type { BriefClient } from "../../client/brief.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { CommandError, EXIT } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

/** Something with an id, as a list for a person names it. */
interface Identified {
  readonly id: string;
  readonly about: string;
}

/** The random characters of an id, after its prefix. */
const RANDOM = 16;
/** A shortened id is searched for in as many of the newest changes. */
const NEWEST = 10_000;
const PAGE = 1000;
/** The most candidates that an error lists. */
const MOST_LISTED = 10;

/** Returns the id of a change that a person may have shortened, among the newest changes. @throws CommandError */
export function changeIdFrom(client: BriefClient, given: string): Promise<string> {
  return wholeId(given, async () =>
    (await newestChanges(client)).map(({ changeId, path, author, message, time }) => ({
      id: changeId,
      about: `${localTime(time)}  ${path}  ${author}  ${message ?? ""}`,
    })),
  );
}

/** Returns the session that a person may have shortened, among those of the newest changes. @throws CommandError */
export function sessionFrom(client: BriefClient, given: string): Promise<string> {
  return wholeId(given, async () =>
    distinct(
      (await newestChanges(client)).flatMap(({ session, author, time }) =>
        session === undefined ? [] : [{ id: session, about: `${localTime(time)}  ${author}` }],
      ),
    ),
  );
}

/** Returns the newest changes, newest first, at least as many as a shortened id is searched for in. */
async function newestChanges(client: BriefClient): Promise<Result<"history.list">["changes"]> {
  const known: Result<"history.list">["changes"] = [];
  let before: string | undefined;
  do {
    const page = await client.request("history.list", {
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
    known.push(...page.changes);
    before = page.more ? page.changes.at(-1)?.changeId : undefined;
  } while (before !== undefined && known.length < NEWEST);
  return known;
}

/** Returns the id of a batch that a person may have shortened, among the newest changes. @throws CommandError */
export function batchIdFrom(client: BriefClient, given: string): Promise<string> {
  return wholeId(given, async () => {
    const { changes } = await client.request("history.list", { limit: PAGE });
    return distinct(
      changes.flatMap(({ batchId, path, author, time }) =>
        batchId === undefined ? [] : [{ id: batchId, about: `${localTime(time)}  ${path}  ${author}` }],
      ),
    );
  });
}

/** Returns each id once, as the oldest change with it names it. */
function distinct(known: readonly Identified[]): Identified[] {
  return [...new Map(known.map((one) => [one.id, one])).values()];
}

/** Returns the id of a proposal that a person may have shortened, among the newest ones. @throws CommandError */
export function proposalIdFrom(client: BriefClient, given: string): Promise<string> {
  return wholeId(given, async () => {
    const { proposals } = await client.request("proposal.list", {});
    return proposals.map(({ id, path, author, reasoning }) => ({
      id,
      about: `${path}  ${author}  ${reasoning}`,
    }));
  });
}

/** Returns the id of a thread that a person may have shortened, among the newest ones. @throws CommandError */
export function threadIdFrom(client: Pick<BriefClient, "request">, given: string): Promise<string> {
  return wholeId(given, async () => {
    const { threads } = await client.request("thread.list", {});
    return threads.map(({ id, paths, title }) => ({ id, about: `${paths.join(", ")}  ${title}` }));
  });
}

/**
 * Returns the id of another machine that a person may have shortened, or the machine's name as given. @throws
 * CommandError
 */
export async function machineIdFrom(client: BriefClient, given: string): Promise<string> {
  const { machines } = await client.request("machine.list", {});
  if (machines.some(({ name }) => name === given)) return given;
  const others = machines.filter(({ isSelf }) => !isSelf);
  return wholeId(given, async () => others.map(({ machine, name }) => ({ id: machine, about: name })));
}

/**
 * Returns the only known id that begins as given, with its prefix or without. An id that nothing matches is returned as
 * it is, so that the daemon refuses it. @throws CommandError with the candidates if several match
 */
export async function wholeId(given: string, list: () => Promise<readonly Identified[]>): Promise<string> {
  // In a script, a variable without a value is empty. It names nothing, even where there is one id.
  if (given === "") throw new CommandError(EXIT.usage, "the id is empty");
  if (randomPart(given).length >= RANDOM) return given;
  const known = await list();
  if (known.some(({ id }) => id === given)) return given;
  const found = known.filter(({ id }) => id.startsWith(given) || randomPart(id).startsWith(given));
  if (found.length <= 1) return found[0]?.id ?? given;
  const lines = found.slice(0, MOST_LISTED).map(({ id, about }) => `  ${id}  ${about}`.trimEnd());
  if (found.length > MOST_LISTED) lines.push(`  … and ${found.length - MOST_LISTED} more`);
  throw new CommandError(
    EXIT.usage,
    `${given} is the beginning of ${found.length} ids`,
    `give more characters of one of these:\n${lines.join("\n")}`,
  );
}

function randomPart(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}
