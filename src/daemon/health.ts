import type { WatchTrouble } from "../mirror/watcher.ts";
import type { SetAside } from "../store/sound.ts";
import type { Rights } from "../workspace/access/rights.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { mirrorAdvice, STORE_ADVICE } from "../workspace/outcome/refusals.ts";
import type { TokensDamage } from "./tokens.ts";

/** Something that does not work at present, for a person to see to. Never holds text of documents. */
export interface HealthProblem {
  readonly what: "store" | "file" | "watcher" | "tokens";
  /** Of the file; for those who may read it. */
  readonly path?: string;
  readonly kind: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  readonly advice: string;
}

/** What `/health` says: `degraded` while there is any problem. */
export interface Health {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly startedAt: string;
  readonly root: "present" | "gone";
  readonly problems: readonly HealthProblem[];
}

export interface Troubles {
  readonly setAside: readonly SetAside[];
  readonly watching: WatchTrouble | undefined;
  readonly tokens: TokensDamage | undefined;
}

/** `asking` is what whoever asks may do. Names of files are told to those who may read them, and messages to tokens. */
export function healthOf(
  workspace: Workspace,
  { setAside, watching, tokens }: Troubles,
  about: { readonly version: string; readonly startedAt: string },
  asking: Rights | undefined,
): Health {
  const problems = [
    ...storeProblems(workspace),
    ...setAside.flatMap(asideProblem),
    ...tokenProblems(tokens),
    ...watcherProblems(watching),
    ...fileProblems(workspace, asking),
  ];
  const root = workspace.ports.files.rootStands() ? "present" : "gone";
  const status = problems.length === 0 && root === "present" ? "ok" : "degraded";
  return { status, ...about, root, problems: asking === undefined ? problems.map(untold) : problems };
}

/** A problem as strangers are told of it: messages may name folders and files of the machine. */
function untold({ what, kind, since, advice }: HealthProblem): HealthProblem {
  return { what, kind, message: "what it is, is told to whoever sends a token", since, advice };
}

function storeProblems({ ports: { store } }: Workspace): HealthProblem[] {
  if (store.trouble === undefined) return [];
  const { kind, message, since } = store.trouble;
  return [{ what: "store", kind, message, since: iso(since), advice: STORE_ADVICE[kind] }];
}

function asideProblem({ at, kind, since }: SetAside): HealthProblem[] {
  if (kind === "replaced") return []; // as somebody wanted it
  const made = kind === "damaged" ? "a damaged store" : "a store that no daemon of yours made here";
  const message = `${made} was set aside as ${at}; documents were taken from their files, without history`;
  const advice = {
    damaged: "Check the disk (dmesg tells), and the files against a backup. Then remove that folder.",
    unknown:
      "If you copied or restored this workspace: spliced stop, then spliced adopt, which brings its history back. " +
      "If it came with a download: remove that folder.",
  }[kind];
  return [{ what: "store", kind, message, since: since.toISOString(), advice }];
}

function tokenProblems(damage: TokensDamage | undefined): HealthProblem[] {
  if (damage === undefined) return [];
  const { kind, message, since } = damage;
  const advice = {
    damaged: "Nobody but the owner is let in. Repair the file, or remove it and make the tokens anew.",
    foreign: "Nobody but the owner is let in. If the file is yours: spliced stop, then spliced adopt.",
  }[kind];
  return [{ what: "tokens", kind, message, since: since.toISOString(), advice }];
}

function watcherProblems(trouble: WatchTrouble | undefined): HealthProblem[] {
  if (trouble === undefined) return [];
  const { folders, reason, since } = trouble;
  return [
    {
      what: "watcher",
      kind: "limit",
      message: `${folders} folders are looked at, not watched: ${reason}`,
      since: iso(since),
      advice: "Saves in them are noticed later. Raise fs.inotify.max_user_watches to have them watched.",
    },
  ];
}

function fileProblems({ loaded }: Workspace, asking: Rights | undefined): HealthProblem[] {
  return [...loaded].flatMap(({ path, mirror: { problem, problemSince } }) => {
    if (problem === undefined) return [];
    const named = asking?.allows(path, "read")
      ? { path, message: problem.message }
      : { message: "the file of a document; which one is told to those who may read it" };
    const { kind } = problem;
    return [{ what: "file", kind, since: iso(problemSince), advice: mirrorAdvice(problem), ...named }];
  });
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
