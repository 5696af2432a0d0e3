import { isRefusal } from "../../workspace/outcome/refusal.ts";
import { outwards, within } from "../base/units.ts";
import type { presence as schemas } from "../schemas/presence.ts";
import { type Handlers, withDocument } from "./handler.ts";

export const presenceHandlers: Handlers<keyof typeof schemas> = {
  async "presence.set"({ workspace, presences }, { session, actor, unit }, { path, from, to = from, gone }) {
    if (gone) {
      presences.leave(session, path);
      return { path };
    }
    return withDocument(workspace.open(path), async (document) => {
      const { text } = document;
      const selection =
        from === undefined ? undefined : { from: within(from, text, unit), to: within(to!, text, unit) };
      const refused = presences.set(session, actor, document, selection);
      return isRefusal(refused) ? refused : { path: document.path };
    });
  },

  "presence.list": ({ workspace, presences }, { unit }, { path }) =>
    withDocument(workspace.open(path), async ({ path: found, text }) => ({
      present: presences.at(found).map(({ session, actor, machine, selection, at }) => ({
        session,
        agent: actor.agent,
        name: actor.name,
        ...(machine !== undefined && { machine }),
        ...(selection && {
          from: outwards(Math.min(selection.from, text.chars), text, unit),
          to: outwards(Math.min(selection.to, text.chars), text, unit),
        }),
        at: new Date(at).toISOString(),
      })),
    })),
};
