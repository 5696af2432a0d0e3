import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { z } from "zod";

const named = z.object({
  params: z.object({ _meta: z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string() }) }) }),
});

/** Returns the client's name that a message of version 2026-07-28 carries; "" if there is none. */
export function clientIn(message: unknown): string {
  return named.safeParse(message).data?.params._meta[CLIENT_INFO_META_KEY].name ?? "";
}

const listening = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({
    notifications: z.object({
      resourcesListChanged: z.boolean().optional(),
      resourceSubscriptions: z.array(z.string()).optional(),
    }),
  }),
});

/** The subjects of notifications that a client requests in `subscriptions/listen`. */
export type ListenFilter = z.infer<typeof listening>["params"]["notifications"];

/** Returns the subjects that a message requests; undefined for another message, or one that the SDK refuses. */
export function listenFilterIn(message: unknown): ListenFilter | undefined {
  return listening.safeParse(message).data?.params.notifications;
}
