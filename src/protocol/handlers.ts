import { deniedEverywhereRefusal } from "../workspace/access/refusals.ts";
import { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import { isRefusal, type Outcome } from "../workspace/outcome/refusal.ts";
import { answeringAs } from "./handlers/answering.ts";
import { askedOf } from "./handlers/asked.ts";
import { batchHandlers } from "./handlers/batches.ts";
import { claimHandlers } from "./handlers/claims.ts";
import { documentHandlers } from "./handlers/documents.ts";
import { editHandlers } from "./handlers/edits.ts";
import type { Handlers } from "./handlers/handler.ts";
import { historyHandlers } from "./handlers/history.ts";
import { laneHandlers } from "./handlers/lanes.ts";
import { legacyHandlers } from "./handlers/legacy.ts";
import { machineHandlers } from "./handlers/machines.ts";
import { presenceHandlers } from "./handlers/presence.ts";
import { previewHandlers } from "./handlers/previews.ts";
import { proposalHandlers } from "./handlers/proposals.ts";
import { seenHandlers } from "./handlers/seen.ts";
import { settingsHandlers } from "./handlers/settings.ts";
import { threadHandlers } from "./handlers/threads.ts";
import { toolHandlers } from "./handlers/tools.ts";
import type { session } from "./schemas/session.ts";
import { type Method, methods } from "./schemas.ts";
import type { GuardedService, RequestContext, Service } from "./service.ts";

/**
 * A method that a connection may call after `hello`; the session itself serves the methods about the
 * connection.
 */
type Served = Exclude<Method, keyof typeof session>;

const handlers: Handlers<Served> = {
  ...documentHandlers,
  ...seenHandlers,
  ...editHandlers,
  ...batchHandlers,
  ...previewHandlers,
  ...proposalHandlers,
  ...legacyHandlers,
  ...toolHandlers,
  ...historyHandlers,
  ...threadHandlers,
  ...presenceHandlers,
  ...claimHandlers,
  ...laneHandlers,
  ...settingsHandlers,
  ...machineHandlers,
};

/**
 * Performs a request with checked parameters, on the part of the workspace that the client's token allows.
 */
export async function perform(
  service: Service,
  requester: RequestContext,
  method: Served,
  params: unknown,
): Promise<Outcome<unknown>> {
  const { level, on } = methods[method];
  if (on === "all" && !requester.actor.rights.allowsEverywhere(level)) return deniedEverywhereRefusal(level);
  const asking = askingFor(requester, askedOf(method, params as object));
  const author = isAboutThread(method) ? asking : answeringAs(service, asking, params as object);
  if (isRefusal(author)) return author;
  const handler = handlers[method] as (
    s: GuardedService,
    p: RequestContext,
    d: unknown,
  ) => Promise<Outcome<unknown>>;
  const workspace = new GuardedWorkspace(service.workspace, author.actor, level);
  return handler({ ...service, workspace }, author, params);
}

function askingFor(requester: RequestContext, asked: number | undefined): RequestContext {
  return asked === undefined ? requester : { ...requester, actor: { ...requester.actor, asked } };
}

/** Returns true for a method whose `thread` is not that of a message that an edit answers. */
function isAboutThread(method: Served): boolean {
  return Object.hasOwn(threadHandlers, method);
}
