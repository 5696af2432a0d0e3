import { deniedEverywhereRefusal } from "../../workspace/access/refusals.ts";
import { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import { type Method, methods } from "../schemas/schemas.ts";
import type { session } from "../schemas/session.ts";
import type { GuardedService, RequestContext, Service } from "../service/service.ts";
import { answeringAs } from "./answering.ts";
import { askedOf } from "./asked.ts";
import { batchHandlers } from "./batches.ts";
import { claimHandlers } from "./claims.ts";
import { documentHandlers } from "./documents.ts";
import { editHandlers } from "./edits.ts";
import type { Handlers } from "./handler.ts";
import { historyHandlers } from "./history.ts";
import { laneHandlers } from "./lanes.ts";
import { legacyHandlers } from "./legacy.ts";
import { machineHandlers } from "./machines.ts";
import { presenceHandlers } from "./presence.ts";
import { previewHandlers } from "./previews.ts";
import { proposalHandlers } from "./proposals.ts";
import { seenHandlers } from "./seen.ts";
import { settingsHandlers } from "./settings.ts";
import { threadHandlers } from "./threads.ts";
import { toolHandlers } from "./tools.ts";

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
