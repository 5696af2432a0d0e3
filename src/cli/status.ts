import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ask } from "../client/ask.ts";
import { withGivenToken } from "../client/given-token.ts";
import { type Located, locateDaemon } from "../client/locate.ts";
import { challenge } from "../client/prove.ts";
import type { DoctorFinding } from "../daemon/doctor/doctor.ts";
import type { Health } from "../daemon/reports/health.ts";
import { packageVersion } from "../package.ts";
import type { Result } from "../protocol/schemas/schemas.ts";
import { diskUse } from "../state/disk-use.ts";
import { workspaceFolder } from "./connection/background.ts";
import { type Common, provenHere, talkTo } from "./connection/session.ts";
import { laneLines } from "./sharing/lanes.ts";
import { machineLines } from "./sharing/machines.ts";
import { AnsweredError, CommandError, EXIT, paint, print, printJson, printText } from "./terminal/output.ts";
import { inCommands } from "./terminal/suggestions.ts";
import { localTime } from "./terminal/times.ts";
import { typed } from "./terminal/typed.ts";

interface StatusOptions extends Common {
  readonly all?: boolean;
}

/** The things that a person may have to decide or repair. */
interface Waiting {
  readonly proposals: Result<"proposal.list">;
  readonly previews: Result<"preview.list">;
  readonly docs: Result<"doc.status">["docs"];
}

type Lane = Result<"lane.list">["lanes"][number];

interface StatusFacts {
  /** Bytes. */
  readonly disk: number;
  readonly all: boolean;
}

/** Adds the commands that examine a daemon or a folder. */
export function statusCommands(program: Command): void {
  program
    .command("status")
    .description("show the daemon of a folder, its open problems and questions, and its disk use")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .option("--all", "list all documents that the daemon has open, also documents without a problem")
    .action((folder: string, _options, command: Command) =>
      status(folder, command.optsWithGlobals<StatusOptions>()),
    );

  program
    .command("doctor")
    .description("check whether spliced can serve a folder, and name the limits of its file system")
    .argument("[folder]", "the folder to check", ".")
    .action((folder: string, _options, command: Command) =>
      doctor(folder, command.optsWithGlobals<Common>()),
    );
}

async function status(folder: string, { json, all = false }: StatusOptions): Promise<void> {
  const located = await provenHere(workspaceFolder(folder), resolve(folder));
  const health = await healthOf(located);
  const disk = diskUse(join(located.root, ".spliced"));
  await talkTo(located, { agent: "status" }, async ({ client }) => {
    const { docs } = await client.request("doc.status", {});
    const proposals = await client.request("proposal.list", { status: "pending" });
    const previews = await client.request("preview.list", {});
    const { token: _token, ...withoutToken } = located;
    const waiting = { proposals: proposals.proposals.length, previews: previews.previews.length };
    if (json) printJson({ ...withoutToken, health, docs, waiting, diskBytes: disk });
    else printStatus(located, health, { docs, proposals, previews }, { disk, all });
  });
}

function printStatus(
  located: Located,
  health: Health,
  { docs, proposals, previews }: Waiting,
  { disk, all }: StatusFacts,
): void {
  print(`${paint(health.status === "ok" ? "green" : "red", health.status)}  ${located.root}`);
  print(
    `    ${located.url}  process ${located.pid}  version ${located.version}  since ${localTime(located.startedAt)}`,
  );
  for (const line of health.cover.lines) print(`    ${line}`);
  const present = docs.filter(({ syncStatus }) => syncStatus !== "deleted").length;
  const synced = docs.filter(({ syncStatus }) => syncStatus === "synced").length;
  print(`    Documents in memory: ${present}; equal to their files: ${synced}.`);
  print(
    `    ${(disk / 1e6).toFixed(1)} MB of the disk are in .spliced: the history, the copies and the log.`,
  );
  const { machines, lanes = [] } = health;
  if (machines !== undefined && machines.status !== "alone") printPart("Machines", machineLines(machines));
  if (lanes.length > 0) printPart("Lanes", lanes.flatMap(laneLines));
  if (all) for (const doc of docs) printDocument(doc);
  const lines = [
    ...otherPlace(health.root),
    ...otherVersion(located.version),
    ...alike(health.problems).flatMap(problemLines),
    ...health.cover.unread.map((path) => `${paint("yellow", path)} cannot be read; see: ls -l`),
    ...counted(proposals.proposals.length, proposals.more, "proposal", "spliced proposals"),
    ...counted(previews.previews.length, previews.more, "edit to confirm", "spliced open"),
    ...lanes.flatMap(aboutLane),
  ];
  print(lines.length === 0 ? "    No open problem." : paint("bold", "Open problems and questions:"));
  for (const line of lines) print(`    ${line}`);
}

/** Returns a line about a daemon whose folder is no more where it was, though this command found it here; else none. */
function otherPlace(root: Health["root"]): string[] {
  if (root === "present") return [];
  const what = "the daemon began when this folder was at another place, and waits until it is back there";
  return [typed(`${paint("red", what)}; serve it here with: spliced restart`)];
}

/** Returns a line about a daemon of another version than this command, as after an upgrade; else none. */
function otherVersion(version: string): string[] {
  const own = packageVersion();
  if (version === own) return [];
  const what = `the daemon has version ${version}, this command ${own}`;
  return [typed(`${paint("yellow", what)}; restart it with: spliced restart`)];
}

type Problem = Health["problems"][number];

/** Returns the problems in groups: those of files with the same message and advice, the oldest first in each. */
function alike(problems: readonly Problem[]): readonly (readonly [Problem, ...Problem[]])[] {
  const groups = new Map<string, [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const { path, advice } = problem;
    const key = path === undefined ? `${groups.size}` : JSON.stringify([messageOf(problem), advice]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [problem]);
    else if (problem.since < group[0].since) group.unshift(problem);
    else group.push(problem);
  }
  return [...groups.values()];
}

/** Returns the lines about problems of the same message. Of several files they name one; `--all` names each. */
function problemLines([first, ...more]: readonly [Problem, ...Problem[]]): string[] {
  const { what, path = what, since, advice } = first;
  const where = more.length === 0 ? path : `${more.length + 1} files, such as ${path}`;
  return [
    `${paint("red", `${where}: ${messageOf(first)}`)}  since ${localTime(since)}`,
    `  ${inCommands(advice)}`,
  ];
}

/** Returns the message of a problem without the path with which some begin. */
function messageOf({ path, message }: Problem): string {
  return path !== undefined && message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}

/** Prints the lines of a part of the status, under its name. */
function printPart(name: string, lines: readonly string[]): void {
  print(`    ${paint("bold", name)}`);
  for (const line of lines) print(`      ${line}`);
}

/** Returns a line about a lane that needs a person; none for any other lane. */
function aboutLane({ name, problem, waiting }: Lane): string[] {
  const held = waiting.filter(({ status }) => status !== "proposed").length;
  if (problem === null && held === 0) return [];
  const what = problem ?? `${held} ${held === 1 ? "file waits" : "files wait"}`;
  return [typed(`${paint("yellow", `the lane ${name}: ${what}`)}; see: spliced lane ls`)];
}

function printDocument({ syncStatus, path, problem }: Waiting["docs"][number]): void {
  const note = problem === undefined ? "" : `  ${paint("yellow", problem)}`;
  print(`    ${syncStatus.padEnd(12)} ${path}${note}`);
}

/** Returns a line about things that wait; none if there are none. */
function counted(count: number, more: boolean, what: string, command: string): string[] {
  if (count === 0) return [];
  const number = `${count}${more ? " or more" : ""}`;
  const plural = count === 1 && !more ? what : what.replace(/^\w+/, "$&s");
  return [`${paint("yellow", `${number} ${plural}`)}; see: ${typed(command)}`];
}

async function doctor(folder: string, { json }: Common): Promise<void> {
  const root = workspaceFolder(folder);
  const { examine } = await import("../daemon/doctor/doctor.ts");
  const { examineIgnoring } = await import("../daemon/doctor/doctor-ignoring.ts");
  const findings = [...examine(root), ...(await examineIgnoring(root)), ...(await covering(root))];
  if (json) printJson({ root, findings });
  else
    for (const { what, state, found, means } of findings)
      printText(`${MARKS[state]()} ${what.padEnd(16)} ${found}\n  ${"".padEnd(16)} ${paint("dim", means)}`);
  if (findings.some(({ state }) => state === "bad"))
    throw new AnsweredError(
      EXIT.refused,
      `spliced cannot serve ${root}`,
      "fix the lines marked ✗, then run: spliced doctor",
    );
}

/** Returns the cover of the folder's daemon, if one runs. */
async function covering(root: string): Promise<readonly DoctorFinding[]> {
  const located = locateDaemon(root);
  if (located === undefined || (await challenge(located)).kind !== "proven") return [];
  const { cover } = await healthOf(withGivenToken(located));
  const [found, ...left] = cover.lines;
  const means = left.length === 0 ? "a change of any text file can be undone" : left.join(" ");
  return [{ what: "cover", state: left.length === 0 ? "ok" : "limited", found: found!, means }];
}

async function healthOf({ url, token }: Located): Promise<Health> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, text } = await ask(`${url}/health?role=person`, MOST_HEALTH, { headers });
  if (status === OK) return JSON.parse(text) as Health;
  throw new CommandError(
    EXIT.refused,
    `the daemon did not report its health (${status})`,
    "read the reason with: spliced log",
  );
}

const OK = 200;
/** The longest answer about health that a command reads, in characters. */
const MOST_HEALTH = 32 << 20;

const MARKS = {
  ok: () => paint("green", "✓"),
  limited: () => paint("yellow", "!"),
  bad: () => paint("red", "✗"),
};
