import type { z } from "zod";
import { batches, previews } from "./batches.ts";
import { claims } from "./claims.ts";
import { documents } from "./documents.ts";
import { edits } from "./edits.ts";
import { history } from "./history.ts";
import { lanes } from "./lanes.ts";
import { legacy } from "./legacy.ts";
import { machineMethods } from "./machines.ts";
import { notifications } from "./notifications.ts";
import { presence } from "./presence.ts";
import { proposals } from "./proposals.ts";
import { seen } from "./seen.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { threads } from "./threads.ts";
import { tools } from "./tools.ts";

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
