import { DisconnectedError, RefusedError } from "../../../client/browser.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { MessageDraft } from "../../state/threads/message-drafts.ts";

/** A thread, or the document or the proposal of one. */
export type SendTarget =
  | { readonly thread: string }
  | { readonly path: string }
  | { readonly proposal: string };

type Sent = { readonly thread: string } | { readonly why: string; readonly suggestion: string | undefined };

/** Sends a message. Returns its thread, or why it was not sent. */
export async function sendMessage(target: SendTarget, draft: MessageDraft): Promise<Sent> {
  const { text, anchor, others = [] } = draft;
  const path = "path" in target ? target.path : undefined;
  const place = anchor && { path, from: anchor.from, to: anchor.to, version: anchor.version };
  const about = path === undefined || others.length === 0 ? target : { paths: [path, ...others] };
  try {
    const { thread } = await theDaemon().thread.append({
      ...about,
      role: "user",
      text: text.trim(),
      ...(place && { anchor: place }),
    });
    return { thread };
  } catch (error) {
    if (error instanceof DisconnectedError)
      return {
        why: "the connection ended before spliced confirmed the message",
        suggestion: "Look whether it is in the thread before you send it again.",
      };
    const suggestion = error instanceof RefusedError ? error.suggestion : undefined;
    return { why: (error as Error).message, suggestion };
  }
}
