import { isRefusal } from "../../workspace/outcome/refusal.ts";
import { unknownVersion } from "../../workspace/outcome/refusals.ts";
import type { Sight } from "../../workspace/seen/sight.ts";
import type { seen as schemas } from "../schemas/seen.ts";
import type { GuardedService, RequestContext } from "../service/service.ts";
import { type Handlers, withDocument } from "./handler.ts";

interface Listed extends Pick<Sight, "version" | "first"> {
  readonly path: string;
  readonly docId: string;
}

export const seenHandlers: Handlers<keyof typeof schemas> = {
  async "seen.list"(service, requester, { path }) {
    if (path === undefined) return { docs: listed(service, requester) };
    const document = await service.workspace.opened(path);
    if (isRefusal(document)) return document;
    return { docs: listed(service, requester).filter(({ docId }) => docId === document.id) };
  },

  "seen.told": ({ workspace }, { actor }, { path, version }) =>
    withDocument<{ path: string; version: string }>(workspace.opened(path), async (document) => {
      if (document.versions.find(version) === undefined) return unknownVersion(document, version);
      actor.seen?.heardOf(document.id, version);
      return { path: document.path, version };
    }),
};

/** Returns the documents that the session has seen and may still read, under their present paths. */
function listed({ workspace }: GuardedService, { actor }: RequestContext): Listed[] {
  return (actor.seen?.all ?? []).flatMap(([docId, { version, first }]) => {
    const path = workspace.pathOf(docId);
    return path === undefined ? [] : [{ path, docId, version, first }];
  });
}
