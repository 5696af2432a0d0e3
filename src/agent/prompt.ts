import type { Result } from "../protocol/schemas/schemas.ts";

type Context = Result<"thread.context">;

/** Returns the parts of a thread's context that a model reads before the newest message: the documents and anchors. */
export function materialOf(context: Context): string {
  const lines = context.documents.map((document) => shown(document));
  return [...lines, anchorOf(context)].filter((line) => line !== "").join("\n\n");
}

/** Returns a sentence about the text that the newest message is about; "" if it is about none. */
export function anchorOf({ anchors, messageId }: Context): string {
  const anchor = anchors.find((one) => one.messageId === messageId);
  if (anchor === undefined) return "";
  const { path, deleted, quote } = anchor;
  return `The newest message is about this text in ${path}${deleted ? ", which is deleted since" : ""}: ${JSON.stringify(quote)}`;
}

type Document = Context["documents"][number];

function shown({ path, version, deleted, text, permission }: Document): string {
  if (deleted) return `${path} is deleted.`;
  const head = `${path}, version ${version}. ${MAY[permission]}`;
  if (text === null) return `${head} It is too long to show here; read it.`;
  return `${head} Its text:\n<document path=${JSON.stringify(path)}>\n${text}\n</document>`;
}

/** The sentence about an agent's rights in a document. */
export const MAY: Readonly<Record<Document["permission"], string>> = {
  none: "You may not see it.",
  read: "You may only read it.",
  propose: "Your edits of it become proposals, which a person decides on.",
  append: "You may add text at its end; other edits become proposals.",
  write: "You may edit it.",
  admin: "You may edit it.",
};

/** Returns a message's text with its author, where a thread has several. */
export function saidBy(author: string | undefined, content: string, several: boolean): string {
  return several && author !== undefined ? `${author}: ${content}` : content;
}
