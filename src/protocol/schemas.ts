import type { z } from "zod";
import { documents } from "./schemas/documents.ts";
import { edits } from "./schemas/edits.ts";
import { history } from "./schemas/history.ts";
import { notifications } from "./schemas/notifications.ts";
import { session } from "./schemas/session.ts";
import { threads } from "./schemas/threads.ts";

/** Everything that crosses the wire, as schemas: the checks, the types and the reference come from here. */
export const methods = { ...session, ...documents, ...edits, ...history, ...threads };

export type Method = keyof typeof methods;
export type Params<M extends Method> = z.infer<(typeof methods)[M]["params"]>;
export type Result<M extends Method> = z.infer<(typeof methods)[M]["result"]>;

export { notifications };
export type Notification = keyof typeof notifications;
export type NotificationParams<N extends Notification> = z.infer<(typeof notifications)[N]>;
