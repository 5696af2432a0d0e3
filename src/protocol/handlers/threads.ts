import { deniedSomewhereRefusal } from "../../workspace/access/refusals.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { ThreadKey } from "../../workspace/threads/threads.ts";
import type { threads as schemas } from "../schemas/threads.ts";
import type { GuardedService, Requester } from "../service.ts";
import type { Handlers } from "./handler.ts";

export const threadHandlers: Handlers<keyof typeof schemas> = {
  "thread.append": (service, requester, { role, text, ...about }) =>
    withThread(service, requester, about, (key) => service.threads.append(key, requester.actor, role, text)),

  "thread.get": (service, requester, about) =>
    withThread(service, requester, about, async (key) => ({
      messages: [...(await service.threads.messages(key))],
    })),

  "thread.clear": (service, requester, about) =>
    withThread(service, requester, about, async (key) => (await service.threads.clear(key)) ?? {}),

  "thread.context": (service, requester, { path, bundle, system, message, ...budget }) =>
    withThread(service, requester, { path, bundle }, (key) =>
      service.threads.context(key, requester.actor, { system, message, budget }),
    ),
};

interface About {
  readonly path?: string | undefined;
  readonly bundle?: string | undefined;
}

/**
 * Runs `work` on the thread of the client's token. A thread about a document requires `read` on it and
 * follows its renames; one about a bundle requires `read` on any document.
 */
async function withThread<T>(
  { workspace }: GuardedService,
  { actor, user }: Requester,
  { path, bundle }: About,
  work: (key: ThreadKey) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (path === undefined)
    return actor.rights.allowsSomewhere("read")
      ? work({ user, about: { bundle: bundle! } })
      : deniedSomewhereRefusal("read");
  const document = await workspace.opened(path);
  return isRefusal(document) ? document : work({ user, about: { docId: document.id } });
}
