import type { Duplex } from "node:stream";
import { Sender, type WebSocket } from "ws";

/** The most bytes of frames of one turn that are copied into one buffer; larger frames are passed on one by one. */
const COPIED_BYTES = 1 << 16;

/** The longest frame, in bytes, that is reused for the next socket. */
const KEPT_BYTES = 1 << 20;

/** A whole text message of a server (RFC 6455, 5.2). */
const WHOLE_TEXT = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: true };

/**
 * Owns the text frames on their way into a WebSocket without extensions. All frames of one turn of the event loop are one
 * write, because a write costs more than a frame. A notification for many sockets is encoded once.
 */
export class OutgoingFrames {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #onEmpty: () => void;
  #frames: Buffer[] = [];
  #sent: (() => void)[] = [];
  #bytes = 0;

  /** `onEmpty` is called each time the system has taken all bytes, whether at once or after a wait. */
  constructor(ws: WebSocket, socket: Duplex, onEmpty: () => void) {
    this.#ws = ws;
    this.#socket = socket;
    this.#onEmpty = onEmpty;
    socket.on("drain", onEmpty);
  }

  /** Number of bytes that the client has not received yet. */
  get buffered(): number {
    return this.#bytes + this.#ws.bufferedAmount;
  }

  /** Sends a text; `sent` is called once it has left, or the connection has ended. */
  add(text: string, sent?: () => void): void {
    if (this.#ws.readyState !== this.#ws.OPEN) {
      sent?.();
      return;
    }
    if (this.#frames.length === 0) flushSoon(this);
    const frame = frameOf(text);
    this.#frames.push(frame);
    this.#bytes += frame.length;
    if (sent !== undefined) this.#sent.push(sent);
  }

  /** Hands all frames to the socket now. */
  flush(): void {
    const [frames, sent, bytes] = [this.#frames, this.#sent, this.#bytes];
    if (frames.length === 0) return;
    this.#frames = [];
    this.#sent = [];
    this.#bytes = 0;
    // Without a callback, the socket makes no tick of its own for each write.
    const done =
      sent.length === 0
        ? undefined
        : () => {
            for (const one of sent) one();
          };
    if (this.#ws.readyState !== this.#ws.OPEN) done?.();
    else if (frames.length === 1) this.#socket.write(frames[0], done);
    else if (bytes <= COPIED_BYTES) this.#socket.write(Buffer.concat(frames, bytes), done);
    else {
      const last = frames.pop();
      this.#socket.cork();
      for (const frame of frames) this.#socket.write(frame);
      this.#socket.write(last, done);
      this.#socket.uncork();
    }
    // A socket drains only after a write that the system did not take at once, however large it is.
    if (!this.#socket.writableNeedDrain) this.#onEmpty();
  }
}

/** The connections with frames of this turn. */
let waiting: OutgoingFrames[] = [];

/** Flushes a connection at the end of this turn, in one tick with all others. */
function flushSoon(connection: OutgoingFrames): void {
  if (waiting.length === 0) process.nextTick(flushAll);
  waiting.push(connection);
}

function flushAll(): void {
  const flushed = waiting;
  waiting = [];
  for (const connection of flushed) connection.flush();
}

/** The text that was encoded last: a notification goes to many sockets one after the other. */
let last = { text: "", frame: Buffer.alloc(0) };

/** Returns a text as a WebSocket frame of a server. The callers do not change its bytes. */
function frameOf(text: string): Buffer {
  if (text === last.text && text !== "") return last.frame;
  const frame = Buffer.concat(Sender.frame(Buffer.from(text), WHOLE_TEXT));
  if (frame.length <= KEPT_BYTES) last = { text, frame };
  return frame;
}
