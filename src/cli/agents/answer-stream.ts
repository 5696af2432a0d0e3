import type { NotificationParams, Result } from "../../protocol/schemas/schemas.ts";

type Opened = Result<"thread.get">;
export type Message = Opened["messages"][number];
type Parts = NotificationParams<"thread.part">;

/** The places where an answer is shown while it comes. */
export interface AnswerSink {
  /** Shows more of the answer's text. */
  readonly text: (text: string) => void;
  /** Shows a sentence about the answer. */
  readonly line: (line: string) => void;
}

/** Shows the answer to one message once, from whole states, from parts and from its end, in whatever order they come. */
export class AnswerStream {
  readonly #messageId: string;
  readonly #sink: AnswerSink;
  readonly #titles = new Map<string, string>();
  #shown = "";
  #index = 0;
  #end: Message | undefined;

  /** `messageId` is the message that the answer answers. */
  constructor(messageId: string, sink: AnswerSink) {
    this.#messageId = messageId;
    this.#sink = sink;
  }

  /** The answer, once it has ended. */
  get end(): Message | undefined {
    return this.#end;
  }

  /** Shows the answer as a whole state has it. */
  state({ messages, draft }: Pick<Opened, "messages" | "draft">): void {
    for (const message of messages) this.message(message);
    if (draft === null || draft.messageId !== this.#messageId || draft.index < this.#index) return;
    this.#calls(draft.tools);
    this.#text(draft.text);
    this.#index = draft.index;
  }

  /** Shows new parts. Parts after a gap are left to the next whole state, which has them. */
  parts({ messageId, index, parts }: Omit<Parts, "thread">): void {
    const known = this.#index - (index - parts.length);
    if (messageId !== this.#messageId || this.#end !== undefined || known < 0) return;
    for (const part of parts.slice(known))
      if (part.kind === "text") this.#text(part.again ? part.text : this.#shown + part.text);
      else if (part.kind === "tool") this.#calls([part]);
    this.#index = Math.max(this.#index, index);
  }

  message(message: Message): void {
    if (message.answers !== this.#messageId || message.role !== "assistant" || this.#end !== undefined)
      return;
    this.#calls(message.tools ?? []);
    this.#text(message.text);
    this.#end = message;
  }

  /** Shows the part of a text that is new; a text that begins again is shown again. */
  #text(text: string): void {
    if (text.startsWith(this.#shown)) {
      if (text.length > this.#shown.length) this.#sink.text(text.slice(this.#shown.length));
    } else this.#sink.text(`\n${text}`);
    this.#shown = text;
  }

  /** Shows each tool call once, and again if its title changes. */
  #calls(calls: readonly { readonly id: string; readonly title: string }[]): void {
    for (const { id, title } of calls) {
      if (this.#titles.get(id) === title) continue;
      this.#titles.set(id, title);
      this.#sink.line(title);
    }
  }
}
