import { dirname, resolve } from "node:path";
import type { BriefCall } from "../client/brief.ts";
import { type Located, locateDaemon } from "../client/locate.ts";
import { HookLine, type HookReply } from "./daemon.ts";
import { expectedHash } from "./expected.ts";
import { hashOf, inside } from "./files.ts";
import { type HookClient, type HookEvent, hookEvent } from "./input.ts";
import { type HookAnswer, hears, printed } from "./output.ts";
import { through } from "./through.ts";

/** Milliseconds after which a hook gives up, so that it never slows an agent; an edit through the daemon takes longer. */
const PATIENCE_MS = 1_000;
const THROUGH_MS = 8_000;
/** The most of a prompt that a hook sends, in characters. */
const MOST_PROMPT = 1_000;

export interface HookRun {
  readonly client: HookClient;
  /** True to make the edits of editing tools through the daemon. */
  readonly through: boolean;
  /** The text that the agent sent to standard input. */
  readonly input: string;
  readonly cwd: string;
  readonly token: string | undefined;
}

/** A daemon, and a function for the paths of files in its workspace. */
interface Place {
  readonly located: Located;
  readonly pathOf: (named: string) => string | undefined;
}

/**
 * Handles one call of an agent's hook and returns the text to print. It never throws: after a failure the agent goes on
 * as if there were no hook.
 */
export async function runHook(run: HookRun): Promise<string> {
  try {
    const event = hookEvent(run.client, JSON.parse(run.input));
    const place = event && placeOf(event, run.cwd);
    if (event === undefined || place === undefined) return "";
    return printed(run.client, event, await answered(run, event, place));
  } catch {
    return ""; // the agent's tool call must go on
  }
}

async function answered(run: HookRun, event: HookEvent, place: Place): Promise<HookAnswer> {
  const goesThrough = run.through && event.is === "before" && event.use?.does === "edit";
  const line = new HookLine(
    place.located,
    run.token ?? place.located.token,
    { name: run.client, ...(event.session !== undefined && { session: event.session }) },
    AbortSignal.timeout(goesThrough ? THROUGH_MS : PATIENCE_MS),
  );
  try {
    const deny = goesThrough ? await through(line, event, place.pathOf) : undefined;
    if (deny !== undefined) return { deny };
    const calls = callsOf(run.client, event, place.pathOf);
    return calls.length === 0 ? {} : { news: newsIn(await line.send(...calls)) };
  } finally {
    line.close();
  }
}

/** Returns the requests that an event leads to. */
function callsOf(client: HookClient, event: HookEvent, pathOf: Place["pathOf"]): readonly BriefCall[] {
  const { session, call, tool, use, prompt } = event;
  const who = { agent: client, ...(session !== undefined && { session }) };
  const quiet = !hears(event); // the agent does not read this answer, so the news would be lost
  switch (event.is) {
    case "turn":
      return [
        {
          method: "claim.turn",
          params: {
            ...who,
            quiet,
            ...(prompt !== undefined && { prompt: prompt.slice(0, MOST_PROMPT).toWellFormed() }),
          },
        },
      ];
    case "after":
      return [{ method: "claim.close", params: { ...who, call, quiet } }];
    case "before": {
      if (use?.does === "shell") return [{ method: "claim.open", params: { ...who, call, tool } }];
      const paths = (use?.paths ?? []).flatMap((named) => pathOf(named) ?? []);
      if (use?.does === "edit")
        return paths.map((path) => {
          const sha256 = paths.length === 1 ? expectedHash(event, use.paths[0]!) : undefined;
          return { method: "claim.open", params: { ...who, call, tool, path, ...(sha256 && { sha256 }) } };
        });
      return (use?.paths ?? []).flatMap((named) => {
        const path = pathOf(named);
        const sha256 = path === undefined ? undefined : hashOf(resolve(event.cwd ?? ".", named));
        return sha256 === undefined ? [] : [{ method: "claim.read", params: { ...who, path, sha256 } }];
      });
    }
  }
}

function newsIn(replies: readonly HookReply[]): readonly string[] {
  return replies.flatMap(({ result }) => {
    const news = result?.["news"];
    return Array.isArray(news) ? news.map(String) : [];
  });
}

/** Returns the daemon of the workspace that contains the event's file, or the agent's folder. */
function placeOf({ use, cwd = "." }: HookEvent, here: string): Place | undefined {
  const from = resolve(here, cwd);
  const [named] = use === undefined || use.does === "shell" ? [] : use.paths;
  const located = locateDaemon(named === undefined ? from : dirname(resolve(from, named)));
  // In a lane, each write belongs to the lane's agent without a claim.
  if (located === undefined || located.tree !== located.root) return undefined;
  const { root } = located;
  return { located, pathOf: (path) => inside(root, resolve(from, path)) };
}
