import type { MachinesStatus } from "../../link/machines.ts";
import type { WatchTrouble } from "../../mirror/disk/watcher.ts";
import type { programState } from "../../own-program.ts";
import { listedMachines } from "../../protocol/handlers/machines.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import type { SetAside } from "../../store/lmdb/set-aside.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { mirrorAdvice, STORE_ADVICE } from "../../workspace/outcome/refusals.ts";
import type { TokensDamage } from "../tokens/tokens.ts";
import { type CoverReport, coverReport } from "./cover-report.ts";

/** A problem that a person has to solve. It never contains text of documents. */
interface HealthProblem {
  readonly what: "store" | "file" | "watcher" | "tokens" | "machines" | "program";
  /** The path of a file with a problem. */
  readonly path?: string;
  readonly kind: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  readonly advice: string;
}

/** The answer of `/health`: `degraded` while there is any problem. */
export interface Health {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly startedAt: string;
  readonly root: "present" | "gone";
  readonly problems: readonly HealthProblem[];
  readonly cover: CoverReport;
  /** The machines that share the workspace, and the waiting messages; only a caller with a token gets them. */
  readonly machines?: Result<"machine.list">;
  /** The lanes; only a caller that administers the workspace gets them. */
  readonly lanes?: Result<"lane.list">["lanes"];
}

interface DaemonTroubles {
  readonly setAside: readonly SetAside[];
  readonly watching: WatchTrouble | undefined;
  readonly tokens: TokensDamage | undefined;
  readonly machines: MachinesStatus;
  readonly program: ReturnType<typeof programState>;
}

/**
 * Returns the health of a daemon. `asking` has the caller's rights: the answer has problems of only those files that the
 * caller may read, counts files only for a caller that sees all of them, and has no messages for a caller without a token.
 */
export function healthOf(
  workspace: Workspace,
  { setAside, watching, tokens, machines, program }: DaemonTroubles,
  about: { readonly version: string; readonly startedAt: string },
  asking: Rights | undefined,
): Health {
  const problems = [
    ...storeProblems(workspace),
    ...setAside.flatMap(asideProblem),
    ...tokenProblems(tokens),
    ...watcherProblems(watching, asking),
    ...machineProblems(machines),
    ...programProblems(program, about.startedAt),
    ...fileProblems(workspace, asking),
  ];
  const root = workspace.ports.files.isRootPresent() ? "present" : "gone";
  const status = problems.length === 0 && root === "present" ? "ok" : "degraded";
  const cover = coverReport(workspace.cover.status, asking);
  const shown = asking === undefined ? problems.map(withoutDetails) : problems;
  const shared = asking && { machines: listedMachines(machines, asking) };
  return { status, ...about, root, problems: shown, cover, ...shared };
}

/** Returns a problem for a caller without a token, because its message may name folders and files of the machine. */
function withoutDetails({ what, kind, since, advice }: HealthProblem): HealthProblem {
  return { what, kind, message: "send a token to read the message", since, advice };
}

function storeProblems({ ports: { store } }: Workspace): HealthProblem[] {
  if (store.trouble === undefined) return [];
  const { kind, message, since } = store.trouble;
  return [{ what: "store", kind, message, since: iso(since), advice: STORE_ADVICE[kind] }];
}

function asideProblem({ at, kind, since }: SetAside): HealthProblem[] {
  if (kind === "replaced") return []; // a person replaced it with spliced adopt
  const store = kind === "damaged" ? "a damaged store" : "a store that no daemon of yours made here";
  const message = `the daemon moved ${store} to ${at} and read all documents from their files, without history`;
  const advice = {
    damaged: "Check the disk (see dmesg), and compare the files with a backup. Then remove that folder.",
    unknown:
      "If you copied or restored this workspace, run spliced stop, then spliced adopt, to get its history back. " +
      "If the store came with a download, remove that folder.",
  }[kind];
  return [{ what: "store", kind, message, since: since.toISOString(), advice }];
}

function tokenProblems(damage: TokensDamage | undefined): HealthProblem[] {
  if (damage === undefined) return [];
  const { kind, message, since } = damage;
  const advice = {
    damaged: "Only the owner's token works. Repair the file, or remove it and create the tokens again.",
    foreign: "Only the owner's token works. If the file is yours, run spliced stop, then spliced adopt.",
  }[kind];
  return [{ what: "tokens", kind, message, since: since.toISOString(), advice }];
}

function watcherProblems(trouble: WatchTrouble | undefined, asking: Rights | undefined): HealthProblem[] {
  if (trouble === undefined) return [];
  const { reason, since } = trouble;
  const folders = asking?.seesEverything ? `${trouble.folders} folders` : "some folders";
  return [
    {
      what: "watcher",
      kind: "limit",
      message: `the daemon cannot watch ${folders} and checks them from time to time: ${reason}`,
      since: iso(since),
      advice: "The daemon notices saves there later. Raise fs.inotify.max_user_watches to watch them all.",
    },
  ];
}

function machineProblems(machines: MachinesStatus): HealthProblem[] {
  if (machines.is !== "broken") return [];
  const { reason: message, since } = machines;
  const advice =
    "Other machines get nothing from here. Run spliced leave, then spliced join with a share line.";
  return [{ what: "machines", kind: "broken", message, since: iso(since), advice }];
}

/** The files are looked at now, so that the time is that of the daemon's start. */
function programProblems(state: DaemonTroubles["program"], since: string): HealthProblem[] {
  if (state === "same") return [];
  const message = `the files of the daemon's program were ${state === "missing" ? "removed" : "replaced"} while it runs`;
  const advice = "What the daemon has not loaded yet fails. Run spliced restart, once npm has ended.";
  return [{ what: "program", kind: state, message, since, advice }];
}

/** Returns the problems of files that the caller may read; without a token these are none. */
function fileProblems({ loaded }: Workspace, asking: Rights | undefined): HealthProblem[] {
  return [...loaded].flatMap(({ path, mirror: { problem, problemSince } }) => {
    if (problem === undefined || !asking?.allows(path, "read")) return [];
    const { kind, message } = problem;
    return [{ what: "file", path, kind, message, since: iso(problemSince), advice: mirrorAdvice(problem) }];
  });
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
