import { type Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../../client/client.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { threadIdFrom } from "../connection/ids.ts";
import { type Common, follow } from "../connection/session.ts";
import {
  AnsweredError,
  CommandError,
  EXIT,
  paint,
  print,
  printDocument,
  printJson,
  remark,
  whoOf,
} from "../terminal/output.ts";
import { shellPath } from "../terminal/shell-word.ts";
import { localTime } from "../terminal/times.ts";
import { typed } from "../terminal/typed.ts";
import { AnswerStream, type Message } from "./answer-stream.ts";

type Opened = Result<"thread.get">;

interface ChatOptions extends Common {
  readonly thread?: string;
  readonly new?: boolean;
  readonly wait: number;
}

/** Adds `chat`, which talks with the agents that answer a document's threads. */
export function chatCommand(program: Command): void {
  program
    .command("chat")
    .description("write to the agents that answer a document's threads, and print the answer as it comes")
    .argument("[document]", "the document; its last open thread goes on")
    .argument("[message]", "your message; without one, the thread is printed")
    .option("--thread <id>", "go on with this thread, from spliced threads, and give only the message")
    .addOption(new Option("--new", "start a new thread about the document").conflicts("thread"))
    .option("--wait <seconds>", "how long to wait for an answering agent; 0 only sends", parseSeconds, 10)
    .addHelpText("after", HELP)
    .action((first: string | undefined, second: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<ChatOptions>();
      const [document, message] = options.thread === undefined ? [first, second] : [undefined, first];
      if (options.thread !== undefined && second !== undefined)
        command.error("error: with --thread, give only the message");
      if (options.thread === undefined && document === undefined)
        command.error("error: give a document, or --thread");
      if (options.new && message === undefined) command.error("error: --new needs a message");
      return follow(options, (client, pathOf) =>
        chat(client, { ...options, document, path: document && pathOf(document), message }),
      );
    });
}

const HELP = `
Everybody who may read the document sees the thread and may answer it. The daemon calls no model: spliced agent answers,
or an agent that is connected over MCP (spliced mcp --help). Your message waits until one does.
The exit code is 1 if the answer to your message is incomplete: it failed, was stopped or was cut off.

Examples:
  $ spliced chat notes.md "Shorten the introduction."
  $ spliced chat notes.md                                print its last open thread
  $ spliced chat --thread thr_… "Yes, do that."
  $ spliced threads notes.md                             list its threads`;

interface ChatRequest extends ChatOptions {
  /** The document as the person typed it. */
  readonly document: string | undefined;
  readonly path: string | undefined;
  readonly message: string | undefined;
}

/** Sends a message, if there is one, and prints what comes. @throws CommandError for an incomplete answer */
export async function chat(client: Client, request: ChatRequest): Promise<void> {
  const { document, path, message, wait, json } = request;
  const given = request.thread && (await threadIdFrom(client, request.thread));
  const found = given ?? (request.new ? undefined : await lastOpen(client, path!));
  if (message === undefined) {
    if (found === undefined)
      throw new CommandError(
        EXIT.refused,
        `${path} has no open thread`,
        `start one with: spliced chat ${shellPath(document!)} "…"`,
      );
    return show(client, found, request);
  }
  const target = found === undefined ? { path: path! } : { thread: found };
  const { thread, messageId } = await client.thread.append({ ...target, role: "user", text: message });
  const answer = wait === 0 ? undefined : await answerTo(client, thread, messageId, request);
  if (json) printJson({ thread, messageId, answer: answer ?? null });
  else if (answer === undefined) remark(unanswered(thread, wait));
  else endLine(answer);
  if (answer?.incomplete !== undefined)
    throw new AnsweredError(EXIT.refused, `the answer ${INCOMPLETE[answer.incomplete]}`, goOn(thread));
  if (!json && answer !== undefined) remark(goOn(thread));
}

/** Returns the document's last open thread that others see, too; undefined if it has none. */
async function lastOpen(client: Client, path: string): Promise<string | undefined> {
  const { threads } = await client.thread.list({ path, status: "open" });
  return threads.find((thread) => !thread.private)?.id;
}

/** Prints the newest messages of a thread, and the answer under way. */
async function show(client: Client, thread: string, request: ChatRequest): Promise<void> {
  const opened = await client.thread.get({ thread });
  if (request.json) return printJson(opened);
  if (opened.more)
    print(paint("dim", typed(`older messages: spliced call thread.get '{"thread":"${thread}"}'`)));
  for (const message of opened.messages) printMessage(message);
  if (opened.draft === null) return print(paint("dim", statusOf(opened)));
  const answer = await answerTo(client, thread, opened.draft.messageId, request);
  if (answer === undefined) return;
  endLine(answer);
  if (answer.incomplete !== undefined) printIncomplete(answer.incomplete);
  remark(goOn(thread));
}

/**
 * Prints the answer to a message as it comes, and returns it when it has ended; undefined if no agent begins an answer
 * within the time to wait.
 */
export async function answerTo(
  client: Client,
  thread: string,
  messageId: string,
  { wait, json }: Pick<ChatRequest, "wait" | "json">,
): Promise<Message | undefined> {
  const quiet = () => {};
  const stream = new AnswerStream(messageId, {
    text: json ? quiet : (text) => printDocument(text),
    line: json ? quiet : (line) => print(paint("dim", `· ${line}`)),
  });
  /** The message that an agent is answering, perhaps an earlier one. */
  let answered: string | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  const ended = new Promise<Message | undefined>((resolve, reject) => {
    const patience = () => setTimeout(() => resolve(undefined), wait * 1000);
    giveUp = patience();
    const check = ({ lease }: Pick<Opened["thread"], "lease">) => {
      clearTimeout(giveUp);
      if (stream.end !== undefined) return resolve(stream.end);
      if (lease === null && answered === messageId) return resolve(undefined); // its holder left without a word
      answered = lease?.messageId;
      if (answered === undefined) giveUp = patience();
    };
    let told = 0;
    const look = async () => {
      const before = told;
      const opened = await client.thread.get({ thread });
      stream.state(opened);
      // A notification that came meanwhile has a newer lease than this state may have.
      if (told === before || stream.end !== undefined) check(opened.thread);
    };
    client.on("thread.part", (part) => {
      if (part.thread === thread) stream.parts(part);
    });
    client.on("thread.message", ({ thread: of, message }) => {
      if (of.id !== thread) return;
      told++;
      stream.message(message);
      check(of);
    });
    client.on("thread.changed", ({ thread: of }) => {
      if (of.id !== thread) return;
      told++;
      check(of);
    });
    client.on("resync", ({ threads = [] }) => {
      if (threads.includes(thread)) look().catch(reject);
    });
    client.closed.then(() => reject(client.reason), reject);
    client.subscribe({ thread }).then(look).catch(reject);
  });
  return ended.finally(() => clearTimeout(giveUp)); // it would hold a command that failed
}

function printMessage({ author, machine, kind, time, text, incomplete }: Message): void {
  const by = paint(kind === "person" ? "green" : "cyan", whoOf({ author, machine }));
  print(`${paint("bold", by)} ${paint("dim", localTime(time))}`);
  printDocument(text.endsWith("\n") ? text : `${text}\n`);
  if (incomplete !== undefined) printIncomplete(incomplete);
  print("");
}

const INCOMPLETE = {
  stopped: "was stopped",
  failed: "failed before its end",
  lost: "was cut off: its author went away, or the daemon was ended, before the end",
} as const;

function printIncomplete(incomplete: keyof typeof INCOMPLETE): void {
  print(paint("yellow", `The answer ${INCOMPLETE[incomplete]}.`));
}

/** Ends the last line of an answer that was printed as it came. */
function endLine({ text }: Message): void {
  if (!text.endsWith("\n")) printDocument("\n");
}

function goOn(thread: string): string {
  return `go on with: spliced chat --thread ${quoted(thread)} "…"`;
}

/** Returns a note for a person to whom no agent answered. */
function unanswered(thread: string, wait: number): string {
  const silence =
    wait === 0
      ? "The message is stored."
      : `No agent is here to answer: none began an answer within ${wait} s.`;
  return `${silence}
The message waits until an agent or a person answers it.
see how to start an agent with: spliced agent --help
or have a connected one (spliced mcp --help) answer the threads of spliced
see the answer with: spliced chat --thread ${quoted(thread)}`;
}

/** Returns an id as a shell takes it; threads that an earlier version stored have ids with quotes. */
function quoted(id: string): string {
  return /^\w+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
}

function statusOf({ thread: { status, waiting } }: Opened): string {
  if (status === "resolved") return "resolved";
  return waiting ? "The last message waits for an answer." : "";
}

function parseSeconds(given: string): number {
  if (/^\d{1,5}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("Give a whole number of seconds.");
}
