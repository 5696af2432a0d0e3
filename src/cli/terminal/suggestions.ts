import { outsideQuotes, withoutMethods } from "../../protocol/base/method-words.ts";
import type { Method, Notification } from "../../protocol/schemas/schemas.ts";

/** The command that does the work of a method, for each method and notification that a refusal may name. */
const COMMAND_OF: Readonly<Record<string, string>> = {
  "batch.apply": "`spliced batch`",
  blame: "`spliced blame`",
  "change.get": "`spliced history`",
  "checkpoint.create": "`spliced checkpoint create`",
  "checkpoint.list": "`spliced checkpoint list`",
  "checkpoint.restore": "`spliced checkpoint restore`",
  "diff.build": "`diff -u`",
  "doc.changed": "`spliced watch`",
  "doc.create": "`spliced new`",
  "doc.delete": "`spliced rm`",
  "doc.diff": "`spliced diff`",
  "doc.list": "`spliced ls`",
  "doc.read": "`spliced cat`",
  "doc.rename": "`spliced mv`",
  "doc.restore": "`spliced restore`",
  "doc.status": "`spliced status`",
  "edit.append": "`spliced append`",
  "edit.legacy": "`spliced call edit.legacy`",
  "edit.lines": "`spliced patch`",
  "edit.patch": "`spliced patch`",
  "edit.replace": "`spliced replace`",
  "edit.set": "`spliced set`",
  "edit.splice": "`spliced replace`",
  "edit.write": "`spliced write`",
  "history.diff": "`spliced diff`",
  "history.list": "`spliced history`",
  "history.prune": "`spliced prune`",
  "history.restore": "`spliced restore`",
  "machine.list": "`spliced machines`",
  "machine.remove": "`spliced machines --remove`",
  "lane.add": "`spliced lane add`",
  "lane.list": "`spliced lane ls`",
  "lane.remove": "`spliced lane rm`",
  "metrics.get": "`spliced metrics`",
  "mirror.resume": "`spliced resume`",
  "preview.apply": "`spliced preview --apply`",
  "preview.create": "`spliced preview`",
  "presence.set": "`spliced call presence.set`",
  "proposal.approve": "`spliced approve`",
  "proposal.create": "`spliced propose`",
  "proposal.get": "`spliced proposals`",
  "proposal.list": "`spliced proposals`",
  "proposal.reject": "`spliced reject`",
  "rpc.discover": "`spliced call rpc.discover`",
  "thread.append": "`spliced chat`",
  "thread.clear": "`spliced threads --clear`",
  "thread.get": "`spliced chat --thread`",
  "thread.lease": "`spliced call thread.lease`",
  "thread.list": "`spliced threads`",
  "thread.message": "`spliced chat --thread`",
  "thread.stop": "`spliced threads --stop`",
  undo: "`spliced undo`",
  redo: "`spliced redo`",
  search: "`spliced search`",
  subscribe: "`spliced watch`",
  "workspace.leave": "`spliced leave`",
  "workspace.share": "`spliced share`",
} satisfies { readonly [N in Method | Notification]?: string };

/** Phrases of suggestions about values of parameters, each with the words that name the command's option. */
const GIVEN_FOR: readonly (readonly [value: string, given: string])[] = [
  ['send occurrence: "first", "all" or a number', "give --first, --all or --nth <n>"],
  ['with view: "text"', "with --view text"],
  ["with confirm: true", "with --confirm"],
  ["Use a changeId from", "Use an id from"],
];

/** A part of a suggestion that the commands do by themselves: they name the version that they showed last. */
const NAMES_VERSION = / with the `version` of .* that it shows/;

/** The argument or option of a command, for each parameter that refusals name; with its method where commands differ. */
const ARGUMENT_OF: ReadonlyMap<string, string> = new Map([
  ["agent", "--by"],
  ["base_hash", "[file]"],
  ["batchId", "--batch"],
  ["before", "--before"],
  ["broker", "--nats"],
  ["changeId", "<change>"],
  ["confirm", "--confirm"],
  ["doc.diff.to", "--to"],
  ["expires", "--expires"],
  ["files", "--file"],
  ["folder", "--at"],
  ["force", "--force"],
  ["from", "--from"],
  ["history.restore.version", "<version>"],
  ["hunks", "--hunks"],
  ["id", "<id>"],
  ["key", "<key>"],
  ["lines", "--lines"],
  ["machine", "--remove"],
  ["message", "--message"],
  ["name", "<name>"],
  ["new", "<new>"],
  ["old", "<old>"],
  ["old_content", "<old>"],
  ["path", "<path>"],
  ["pattern", "<glob>"],
  ["proposed_value", "<new>"],
  ["query", "<text>"],
  ["reason", "<reason>"],
  ["reasoning", "--reasoning"],
  ["rules", "--allow"],
  ["session", "--session"],
  ["since", "--since"],
  ["text", "the text"],
  ["thread", "--thread"],
  ["thread.append.text", "<message>"],
  ["to", "<to>"],
  ["token", "--token"],
  ["value", "<value>"],
  ["version", "--base"],
  ["view", "--view"],
]);

/** Returns a message of the daemon with commands, arguments and options in place of the wire's methods and parameters. */
export function inCommands(message: string): string {
  const given = GIVEN_FOR.reduce((text, [value, words]) => text.replace(value, words), message).replace(
    NAMES_VERSION,
    "",
  );
  return outsideQuotes(
    methodsInCommands(given),
    /`[a-z]+`/,
    (found) => ARGUMENT_OF.get(found.slice(1, -1)) ?? found,
  );
}

/** Returns a message with commands in place of methods, for a person who gave the parameters as JSON. */
export function methodsInCommands(message: string): string {
  return withoutMethods(message, (name) => COMMAND_OF[name]);
}

/** A refusal as a person at the command line reads it. */
interface Worded {
  readonly message: string;
  readonly hint?: string;
}

/**
 * Returns the refusal of parameters, by the arguments and options that they come from; undefined for another refusal.
 * The message of the daemon begins with the method.
 */
export function parametersInCommands(
  message: string,
  { problems }: { readonly problems?: unknown },
): Worded | undefined {
  if (!Array.isArray(problems)) return undefined;
  const method = message.slice(0, message.indexOf(":"));
  const named = (problems as readonly { readonly at: string; readonly message: string }[]).map((problem) => {
    const [parameter = "", ...inside] = problem.at.split(".");
    const argument = ARGUMENT_OF.get(`${method}.${parameter}`) ?? ARGUMENT_OF.get(parameter);
    const place = argument ?? [parameter, ...inside].join(".");
    return place === "" ? inCommands(problem.message) : `${place}: ${inCommands(problem.message)}`;
  });
  const command = COMMAND_OF[method]?.replaceAll("`", "").replace(/ --.*/, "");
  return { message: named.join("; "), ...(command !== undefined && { hint: `see: ${command} --help` }) };
}
