import type { Result } from "../schemas/schemas.ts";
import type { settings as schemas } from "../schemas/settings.ts";
import type { GuardedService } from "../service/service.ts";
import type { Handlers } from "./handler.ts";

export const settingsHandlers: Handlers<keyof typeof schemas> = {
  "settings.get": async (service) => settingsNow(service),

  async "settings.set"(service, { actor }, changes) {
    service.settings.set(changes);
    service.log("info", "settings.changed", { ...service.settings.now, agent: actor.agent });
    return settingsNow(service);
  },
};

function settingsNow({ settings, captures }: GuardedService): Result<"settings.get"> {
  const capture = captures === undefined ? null : { hours: captures.hours, folder: captures.folder };
  return { ...settings.now, configured: { ...settings.configured }, capture };
}
