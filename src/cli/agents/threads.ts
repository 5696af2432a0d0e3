import { type Command, Option } from "commander";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { threadIdFrom } from "../connection/ids.ts";
import { type Common, talk } from "../connection/session.ts";
import { paint, print, printJson, whoOf } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";
import { typed } from "../terminal/typed.ts";

type Thread = Result<"thread.list">["threads"][number];

interface ThreadOptions extends Common {
  readonly status?: "open" | "resolved" | "waiting";
  readonly resolve?: string;
  readonly reopen?: string;
  readonly stop?: string;
  readonly clear?: string;
}

/** Adds `threads`, which lists the conversations about documents. */
export function threadsCommand(program: Command): void {
  program
    .command("threads")
    .description("list the conversations about documents; mark them as done, or delete them")
    .argument("[document]", "only threads of this document")
    .addOption(
      new Option("--status <status>", "only threads with this status").choices([
        "open",
        "resolved",
        "waiting",
      ]),
    )
    .option("--resolve <id>", "mark a thread as done")
    .option("--reopen <id>", "mark a thread as open again")
    .option("--stop <id>", "ask the agent that answers a thread to stop")
    .option("--clear <id>", "delete a thread with all its messages")
    .addHelpText("after", HELP)
    .action((document: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<ThreadOptions>();
      const { resolve, reopen, stop, clear } = options;
      const ids = [resolve, reopen, stop, clear].filter((id) => id !== undefined);
      if (ids.length > 1 || (ids.length === 1 && (document ?? options.status) !== undefined))
        command.error("error: give one of --resolve, --reopen, --stop and --clear, and nothing else");
      return ids.length === 1 ? change(options) : list(options, document);
    });
}

const HELP = `
A waiting thread ends with a message that nobody has answered and nobody is answering.
A thread is deleted 30 days after its last message.

Examples:
  $ spliced threads --status waiting
  $ spliced threads notes.md
  $ spliced chat --thread thr_…            read a thread
  $ spliced threads --resolve thr_…`;

function list(options: ThreadOptions, document: string | undefined): Promise<void> {
  return talk(options, async ({ client, pathOf }) => {
    const { threads, more } = await client.request("thread.list", {
      ...(document !== undefined && { path: pathOf(document) }),
      ...(options.status !== undefined && { status: options.status }),
    });
    if (options.json) return printJson(threads);
    for (const thread of threads) printThread(thread);
    if (threads.length === 0) print(paint("dim", typed(NONE[options.status ?? "any"])));
    if (more) print(paint("dim", "there are older threads; name a document to list only its own"));
  });
}

/** The line for a list without threads, by the status that was asked for. */
const NONE = {
  any: 'no threads; start one with: spliced chat <document> "…"',
  open: 'no thread is open; start one with: spliced chat <document> "…"',
  waiting: "no thread waits for an answer; see all with: spliced threads",
  resolved: "no thread is resolved; see all with: spliced threads",
} as const;

/** Changes the thread that an option names. */
function change({ resolve, reopen, stop, clear, ...options }: ThreadOptions): Promise<void> {
  return talk(options, async ({ client }) => {
    const done = (answer: object, line: string) => (options.json ? printJson(answer) : print(line));
    const thread = await threadIdFrom(client, (resolve ?? reopen ?? clear ?? stop)!);
    if ((resolve ?? reopen) !== undefined) {
      const resolved = resolve !== undefined;
      const answer = await client.request("thread.resolve", { thread, resolved });
      return done(answer, `${paint("green", resolved ? "resolved" : "open")} ${thread}`);
    }
    if (clear !== undefined)
      return done(await client.request("thread.clear", { thread }), `${paint("green", "deleted")} ${thread}`);
    const answer = await client.request("thread.stop", { thread });
    done(answer, answer.asked ? `asked to stop ${thread}` : `no agent is answering ${thread}`);
  });
}

function printThread(thread: Thread): void {
  const { id, paths, bundle, title, last, messages, deleted } = thread;
  const about = [bundle, paths.join(", ")].filter((part) => part !== undefined && part !== "").join(": ");
  print(`${paint("bold", id)} ${about}  ${stateOf(thread)}`);
  print(`  ${title}`);
  const gone = deleted ? "  its document is deleted" : "";
  print(
    paint(
      "dim",
      `  ${messages} ${messages === 1 ? "message" : "messages"}, the last by ${whoOf(last)} at ${localTime(last.time)}${gone}`,
    ),
  );
}

function stateOf({ status, waiting, lease }: Thread): string {
  if (lease !== null) return paint("cyan", `${whoOf(lease)} is answering`);
  return waiting ? paint("yellow", "waits for an answer") : paint("dim", status);
}
