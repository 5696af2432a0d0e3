import type { WatchTrouble } from "../mirror/watcher.ts";
import { mirrorAdvice, TROUBLE_ADVICE } from "../workspace/problems.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Something that does not work at present, for a person to see to. Never holds text of documents. */
export interface Problem {
  readonly what: "store" | "file" | "watcher";
  /** Of the file. */
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
  readonly problems: readonly Problem[];
}

export function healthOf(
  workspace: Workspace,
  setAside: readonly { readonly at: string; readonly since: Date }[],
  watching: WatchTrouble | undefined,
  about: { readonly version: string; readonly startedAt: string },
): Health {
  const aside = setAside.map(({ at, since }) => damageProblem(at, since));
  const problems = [
    ...storeProblems(workspace),
    ...aside,
    ...watcherProblems(watching),
    ...fileProblems(workspace),
  ];
  const root = workspace.ports.files.rootStands() ? "present" : "gone";
  const status = problems.length === 0 && root === "present" ? "ok" : "degraded";
  return { status, ...about, root, problems };
}

function storeProblems({ ports: { store } }: Workspace): Problem[] {
  if (store.trouble === undefined) return [];
  const { kind, message, since } = store.trouble;
  return [{ what: "store", kind, message, since: iso(since), advice: TROUBLE_ADVICE[kind] }];
}

function damageProblem(at: string, since: Date): Problem {
  return {
    what: "store",
    kind: "damaged",
    message: `a damaged store was set aside as ${at}; documents were taken from their files, without history`,
    since: since.toISOString(),
    advice: "Check the disk (dmesg tells), and the files against a backup. Then remove that folder.",
  };
}

function watcherProblems(trouble: WatchTrouble | undefined): Problem[] {
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

function fileProblems({ loaded }: Workspace): Problem[] {
  return [...loaded].flatMap(({ path, mirror: { problem, problemSince } }) =>
    problem === undefined
      ? []
      : [
          {
            what: "file",
            path,
            kind: problem.kind,
            message: problem.message,
            since: iso(problemSince),
            advice: mirrorAdvice(problem),
          },
        ],
  );
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
