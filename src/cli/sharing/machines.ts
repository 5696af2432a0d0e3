import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { locateDaemon } from "../../client/locate.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { refuseSystemFolder, startInBackground, workspaceFolder } from "../connection/background.ts";
import { machineIdFrom } from "../connection/ids.ts";
import { type Common, talk, talkTo } from "../connection/session.ts";
import { end, stoppable } from "../service/daemon.ts";
import { collect, parseTime } from "../terminal/arguments.ts";
import { agrees } from "../terminal/ask.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";
import { typed } from "../terminal/typed.ts";
import { natsVariables } from "./nats-variables.ts";

interface ShareOptions extends Common {
  readonly nats?: string;
  readonly allow?: readonly string[];
  readonly expires?: Date;
}

interface JoinOptions extends Common {
  readonly yes?: boolean;
  readonly name?: string;
}

interface MachinesOptions extends Common {
  readonly remove?: string;
}

/** Adds the commands about the machines that share a workspace. */
export function machineCommands(program: Command): void {
  program
    .command("share")
    .description("share this folder with other machines, and print the line with which one joins")
    .option("--nats <url>", "the NATS server with JetStream that carries the changes")
    .option("--allow <glob=level>", "a right of machines that join (default: **=write); repeat it", collect)
    .option("--expires <time>", "when the line stops working: 7d from now, or a date", parseTime)
    .addHelpText("after", SHARE_HELP)
    .action((_options, command: Command) => share(command.optsWithGlobals<ShareOptions>()));

  program
    .command("join")
    .description("make a folder one of the machines of a shared workspace")
    .argument("<line>", "the line that `spliced share` printed on another machine")
    .argument("[folder]", "an empty folder, or one whose files belong to the workspace", ".")
    .option("-y, --yes", "do not ask")
    .option("--name <name>", "the machine's name for others (default: the computer's name)")
    .addHelpText("after", JOIN_HELP)
    .action((line: string, folder: string, _options, command: Command) =>
      join(line, folder, command.optsWithGlobals<JoinOptions>()),
    );

  program
    .command("machines")
    .description("list the machines that share this folder, and the changes that wait for them")
    .option("--remove <machine>", "remove a machine: it reads no new changes, and others refuse its messages")
    .action((_options, command: Command) => machines(command.optsWithGlobals<MachinesOptions>()));

  program
    .command("leave")
    .description("stop sharing this folder with other machines; its files and its history stay")
    .action((_options, command: Command) => leave(command.optsWithGlobals<Common>()));
}

const SHARE_HELP = `
Every machine works on its own folder, also without the server. The other machines get its changes soon, or as soon as
they reach the server again. Each machine encrypts all texts and names, so the server cannot read them. Each holder of
the line can read the workspace, so send it as you would send a password.

Variables for a server that asks who you are: SPLICED_NATS_CREDS or SPLICED_NATS_NKEY (files), SPLICED_NATS_USER and
SPLICED_NATS_PASSWORD, SPLICED_NATS_TOKEN; for TLS SPLICED_NATS_CA, SPLICED_NATS_CERT, SPLICED_NATS_KEY (files).

Examples:
  $ nats-server -js &
  $ spliced share --nats nats://localhost:4222
  $ spliced share --allow 'docs/**=write' --allow '**=read' --expires 7d`;

const JOIN_HELP = `
An empty folder gets all files. In a folder with files, equal files are shared from now on. Where texts differ, the
shared one keeps the name, and yours stays beside it with this machine's name. You see that before anything is written.

Example:
  $ spliced join spliced1.AZ… ~/notes`;

function share({ nats, allow, expires, json, ...options }: ShareOptions): Promise<void> {
  return talk(options, work);

  async function work({ client, located }: Parameters<Parameters<typeof talk>[1]>[0]): Promise<void> {
    const { parseRule } = await import("../../daemon/tokens/token-rules.ts");
    const rules = allow?.map((text) => {
      const rule = parseRule(text);
      if (typeof rule === "string") throw new CommandError(EXIT.usage, rule);
      return { glob: rule.glob, level: rule.level };
    });
    const { line, isNew } = await client.request("workspace.share", {
      ...(nats !== undefined && { broker: nats, environment: natsVariables(process.env) }),
      ...(rules !== undefined && { rules }),
      ...(expires !== undefined && { expires: expires.toISOString() }),
    });
    if (json) return printJson({ line, isNew });
    if (isNew) remark(`${paint("green", "shared")} ${located.root}`);
    print(line);
    remark("Run on the other machine: spliced join <this line> <folder>");
  }
}

async function join(text: string, folder: string, { json, yes, name }: JoinOptions): Promise<void> {
  const { parseLine } = await import("../../link/members/line.ts");
  const line = parseLine(text, Date.now());
  if ("refused" in line) throw new CommandError(EXIT.usage, line.message);
  const root = resolve(folder);
  if (!existsSync(root)) mkdirSync(root, { recursive: true });
  refuseSystemFolder(workspaceFolder(root), "join <share line>");
  const isEmpty = readdirSync(root).every((entry) => entry === ".spliced");
  const running = locateDaemon(root);
  if (running !== undefined && running.root !== root)
    throw new CommandError(EXIT.refused, `${root} is inside ${running.root}, which a daemon serves already`);
  const { Joining, JoinError } = await import("../../daemon/machines/join.ts");
  try {
    const joining = new Joining(root, line, natsVariables(process.env), name);
    const plan = await joining.plan();
    if (!isEmpty && !json) {
      print(`${filesAre(plan.added.length)} new here, and ${filesAre(plan.equal)} equal already.`);
      for (const { path, as } of plan.kept)
        print(`${paint("yellow", path)} differs; your text becomes ${as}`);
    }
    if (!isEmpty && !yes && !(await agrees(`Join ${root} to the shared workspace?`)))
      throw new CommandError(EXIT.refused, "nothing was written", "add --yes to join without a question");
    if (running !== undefined) await end(await stoppable(root));
    const damaged = await joining.join((files) => {
      if (files % 500 === 0) remark(`${files} files…`);
    });
    for (const path of damaged)
      remark(`${path} is left out: its text on the NATS server is damaged. A change of the file brings it`);
    const located = await startInBackground(root, { inside: true });
    const joined = await joinedBy(located);
    if (json) return printJson({ root, ...plan, damaged, machines: joined.machines });
    print(`${paint("green", "joined")} ${root} at ${located.url} (process ${located.pid})`);
    const others = joined.machines.filter(({ isSelf }) => !isSelf).map((machine) => machine.name);
    print(`It is shared with ${others.join(", ") || "no machine yet"}.`);
  } catch (error) {
    if (error instanceof JoinError) throw new CommandError(EXIT.refused, error.message);
    throw error;
  }
}

function filesAre(count: number): string {
  return count === 1 ? "1 file is" : `${count} files are`;
}

/** Waits until a daemon has all documents of the shared workspace; prints the progress. */
async function joinedBy(located: Parameters<typeof talkTo>[0]): Promise<Result<"machine.list">> {
  let last: Result<"machine.list"> | undefined;
  let told = "";
  while (last === undefined || last.status === "joining") {
    await talkTo(located, { agent: "join" }, async ({ client }) => {
      last = await client.request("machine.list", {});
    });
    if (last?.status !== "joining") break;
    const reason = last.reason ?? "fetching the documents";
    if (reason !== told) remark(reason);
    told = reason;
    await wait(100);
  }
  return last!;
}

function machines({ remove, json, ...options }: MachinesOptions): Promise<void> {
  return talk(options, async ({ client }) => {
    if (remove !== undefined) {
      await client.request("machine.remove", { machine: await machineIdFrom(client, remove) });
      if (!json) print(`${paint("green", "removed")} ${remove}`);
    }
    const listed = await client.request("machine.list", {});
    if (json) return printJson(listed);
    for (const line of machineLines(listed)) print(line);
  });
}

/** Returns the lines that show the machines of a folder. */
export function machineLines(listed: Result<"machine.list">): string[] {
  const { status, reason, broker, connected, since, waiting, waitingSince, incoming, full } = listed;
  if (status === "alone")
    return [typed("This folder is not shared. To share it, run: spliced share --nats <url>")];
  if (status === "broken") return [paint("red", `This folder works alone: ${reason}`)];
  const lines = [
    connected
      ? `${paint("green", "connected")} to ${broker}${sinceOf(since)}`
      : `${paint("yellow", "away")} from ${broker}${sinceOf(since)}: ${reason}`,
  ];
  const why = connected && reason !== null ? `: ${reason}` : "";
  if (status === "joining") lines.push(paint("yellow", `The folder is still joining${why}.`));
  if (waiting > 0) lines.push(`${messages(waiting)} for the server${sinceOf(waitingSince)}.`);
  if (status === "shared" && why !== "") lines.push(paint("yellow", `The server refuses messages${why}.`));
  if (incoming > 0) lines.push(`${messages(incoming)} for earlier ones of other machines.`);
  if (full)
    lines.push(paint("yellow", "So much waits that further changes stay in the history of this machine."));
  if (status === "shared" && !listed.machines.some(({ isSelf }) => isSelf))
    lines.push(
      paint(
        "red",
        typed("The owner removed this machine: the others ignore it. To end the sharing, run: spliced leave"),
      ),
    );
  for (const { name, machine, isSelf, isConnected, lastSeen, behind, level } of listed.machines) {
    const seen = isSelf
      ? "this machine"
      : isConnected
        ? "here"
        : `away, last seen ${lastSeen === null ? "before the start" : localTime(lastSeen)}`;
    const lack = behind > 0 ? `, ${behind} ${behind === 1 ? "message" : "messages"} behind` : "";
    lines.push(`${name.padEnd(20)} ${level.padEnd(7)} ${seen}${lack}  ${paint("dim", machine)}`);
  }
  for (const { path, reason: why } of listed.withheld)
    lines.push(`${paint("yellow", path)} is not here: ${why}`);
  for (const path of listed.ignored)
    lines.push(`${paint("yellow", path)} has changes that the others ignore: this machine may not make them`);
  return lines;
}

function sinceOf(time: string | null): string {
  return time === null ? "" : ` since ${localTime(time)}`;
}

function messages(count: number): string {
  return count === 1 ? "1 message waits" : `${count} messages wait`;
}

function leave({ json, ...options }: Common): Promise<void> {
  return talk(options, async ({ client, located }) => {
    await client.request("workspace.leave", {});
    if (json) return printJson({ left: true });
    print(`${paint("green", "left")} the shared workspace; ${located.root} stays as it is`);
  });
}
