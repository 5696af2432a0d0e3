import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { parseExactly } from "../text/exact-json.ts";
import { drained } from "./drained.ts";
import { clientIn, type ListenFilter, listenFilterIn } from "./envelope.ts";

/** Bytes of the longest message: a document's text, escaped. */
const MOST_BYTES = 64 << 20;
const NEWLINE = 10;

/** Readies the notifications that a client asks for; its answer waits for that. */
type OnListen = (filter: ListenFilter, client: string) => Promise<void>;

/**
 * Messages over a pair of streams. Other than the SDK's own transport it stays open at the end of the input, so that
 * every request before it gets its answer.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onListen: OnListen;
  /** The parts of an unfinished line. */
  #line: Buffer[] = [];
  #lineBytes = 0;
  /** Requests without an answer, except those for notifications, which get none until the end. */
  readonly #unanswered = new Set<RequestId>();
  #answered = () => {};
  #closed = false;

  /** Resolves when this end closed. */
  readonly closed: Promise<void>;
  #end = () => {};

  constructor(input: Readable, output: Writable, onListen: OnListen) {
    this.#input = input;
    this.#output = output;
    this.#onListen = onListen;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#closed && !this.#output.write(serializeMessage(message))) await drained(this.#output);
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      this.#settle(message.id);
  }

  /** Resolves when every request has its answer. */
  async idle(): Promise<void> {
    while (this.#unanswered.size > 0)
      await new Promise<void>((resolve) => {
        this.#answered = resolve;
      });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.off("data", this.#read);
    this.#input.pause();
    this.#unanswered.clear();
    this.#answered();
    this.#end();
    this.onclose?.();
  }

  readonly #read = (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...this.#line, rest.subarray(0, end)]).toString("utf8");
      rest = rest.subarray(end + 1);
      this.#line = [];
      this.#lineBytes = 0;
      try {
        this.#take(parseJSONRPCMessage(parseExactly(line)));
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#line.push(rest);
    this.#lineBytes += rest.length;
    if (this.#lineBytes <= MOST_BYTES) return;
    this.#failed(new Error(`A message has more than ${MOST_BYTES} bytes.`));
    void this.close();
  };

  #take(message: JSONRPCMessage): void {
    const filter = listenFilterIn(message);
    if (filter !== undefined) {
      const ready = this.#onListen(filter, clientIn(message)).catch((error: unknown) => this.#failed(error));
      return void ready.then(() => this.onmessage?.(message));
    }
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#settle(message.params?.["requestId"] as RequestId);
    this.onmessage?.(message);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    this.#answered();
  }

  #failed(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
