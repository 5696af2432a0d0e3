import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { absentRefusal, deniedRefusal, deniedSomewhereRefusal } from "../../workspace/access/refusals.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import { shortMessage } from "../../workspace/outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { pathRefusal } from "../../workspace/outcome/refusals.ts";
import { versionOf } from "../../workspace/versions/version.ts";
import { safeName } from "../base/names.ts";
import type { claims as schemas } from "../schemas/claims.ts";
import type { Params } from "../schemas/schemas.ts";
import type { GuardedService, Requester } from "../service/service.ts";
import { type Handlers, withDocument } from "./handler.ts";

export const claimHandlers: Handlers<keyof typeof schemas> = {
  async "claim.open"(service, requester, { agent, session, call, tool, path, sha256, message }) {
    const actor = named(requester, { agent, session });
    const claimed = path === undefined ? undefined : claimedPath(service, actor, path);
    if (isRefusal(claimed)) return claimed;
    if (claimed === undefined && !actor.rights.allowsSomewhere("write"))
      return deniedSomewhereRefusal("write");
    const claimId = service.claims.open(actor, {
      call,
      path: claimed,
      sha256,
      ...(message !== undefined && { message: oneLine(message) }),
      ...(!requester.isBrief && { connection: requester.session }),
    });
    if (isRefusal(claimId)) return claimId;
    service.log("debug", "claim.opened", { claimId, agent: actor.agent, session, tool, path });
    return { claimId };
  },

  async "claim.close"({ claims }, requester, { claimId, agent, session, call, wait = false, quiet = false }) {
    const actor = agent === undefined ? requester.actor : named(requester, { agent, session });
    const closed = claims.close(actor, { id: claimId, call });
    if (claimId !== undefined && closed === 0)
      return new Refusal("NOT_FOUND", `there is no open claim ${JSON.stringify(claimId)}`, {
        suggestion: "It has expired, or its connection or turn has ended. You need do no more.",
      });
    if (wait) await claims.takenIn.wait();
    return { closed, news: quiet ? [] : [...claims.news.take(actor.agent)] };
  },

  async "claim.turn"({ claims, promptsInHistory }, requester, { prompt, quiet = false, ...who }) {
    const actor = named(requester, who);
    claims.turn(actor, prompt !== undefined && promptsInHistory ? oneLine(prompt) : undefined);
    return { news: quiet ? [] : [...claims.news.take(actor.agent)] };
  },

  async "claim.read"({ claims, workspace }, requester, { path, sha256, ...who }) {
    const actor = named(requester, who);
    const parsed = parsePath(path);
    if (isPathProblem(parsed)) return pathRefusal(parsed);
    if (!actor.rights.allows(parsed, "read")) return absentRefusal(parsed);
    const real = workspace.realPath(parsed);
    if (isRefusal(real)) return real;
    claims.reads.note(actor, actor.rights.allows(real, "read") ? real : parsed, sha256);
    return {};
  },

  "claim.last": ({ workspace, claims }, requester, { path, ...who }) =>
    withDocument(workspace.opened(path), async (document) => {
      const read = claims.reads.last(named(requester, who), document.path);
      if (read === undefined) return { read: null };
      const { sha256 = null, at, session } = read;
      const change = sha256 === null ? undefined : document.versions.findHash(sha256);
      return {
        read: {
          sha256,
          version: change === undefined ? null : versionOf(change),
          time: new Date(at).toISOString(),
          ...(session !== undefined && { session }),
        },
      };
    }),

  async "claim.news"({ claims }, { actor, user }) {
    const names = [actor.name, ...(HOOK_NAMES[actor.name] ?? [])];
    return { news: names.flatMap((name) => [...claims.news.take(`${user}/${name}`)]) };
  },
};

/** The names under which hooks claim the saves of agents, by the names that the same agents give over MCP. */
const HOOK_NAMES: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["claude"],
  "codex-mcp-client": ["codex"],
  "gemini-cli-mcp-client": ["gemini"],
};

/** Returns an agent of the client's token: a token claims nothing for another token's agents. */
function named(
  { actor, user }: Requester,
  { agent, session }: Pick<Params<"claim.read">, "agent" | "session">,
): Actor {
  const name = safeName(agent, "agent");
  return {
    name,
    agent: `${user}/${name}`,
    rights: actor.rights,
    ...(session !== undefined && { session: safeName(session, "agent") }),
  };
}

/** Returns the document's path for a claim, or the refusal for a path that the token may not write. */
function claimedPath({ workspace }: GuardedService, { rights }: Actor, path: string): Outcome<DocPath> {
  const asked = parsePath(path);
  if (isPathProblem(asked)) return pathRefusal(asked);
  const allowed = rights.permissionAt(asked);
  if (!levelIncludes(allowed.level, "read")) return absentRefusal(asked);
  if (!levelIncludes(allowed.level, "write")) return deniedRefusal(asked, allowed, "write");
  const real = workspace.realPath(asked);
  if (isRefusal(real)) return real;
  // A refusal would reveal the target of a link. The daemon credits an agent only with changes of files that it may
  // write.
  return rights.allows(real, "write") ? real : asked;
}

function oneLine(message: string): string {
  return shortMessage(message.trim().replace(/\s+/g, " "));
}
