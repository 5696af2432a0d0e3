import type { z } from "zod";
import { batches, previews } from "./schemas/batches.ts";
import { claims } from "./schemas/claims.ts";
import { documents } from "./schemas/documents.ts";
import { edits } from "./schemas/edits.ts";
import { history } from "./schemas/history.ts";
import { lanes } from "./schemas/lanes.ts";
import { legacy } from "./schemas/legacy.ts";
import { machineMethods } from "./schemas/machines.ts";
import { notifications } from "./schemas/notifications.ts";
import { presence } from "./schemas/presence.ts";
import { proposals } from "./schemas/proposals.ts";
import { seen } from "./schemas/seen.ts";
import { session } from "./schemas/session.ts";
import { settings } from "./schemas/settings.ts";
import { threads } from "./schemas/threads.ts";
import { tools } from "./schemas/tools.ts";

/** All methods of the wire. Checks, types and the reference are derived from these schemas. */
export const methods = {
  ...session,
  ...documents,
  ...seen,
  ...edits,
  ...batches,
  ...previews,
  ...legacy,
  ...proposals,
  ...history,
  ...threads,
  ...presence,
  ...claims,
  ...lanes,
  ...settings,
  ...machineMethods,
  ...tools,
};

export type Method = keyof typeof methods;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(methods, name);
}

export type Params<M extends Method> = z.infer<(typeof methods)[M]["params"]>;
export type Result<M extends Method> = z.infer<(typeof methods)[M]["result"]>;

export { notifications };
export type Notification = keyof typeof notifications;
export type NotificationParams<N extends Notification> = z.infer<(typeof notifications)[N]>;
