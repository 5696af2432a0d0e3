/** The looks in vain after which a connection is lost. */
const QUIET_LOOKS = 4;

/** The senders from which something came since the look before. */
interface Signs {
  /** True when the server sent anything, or answered the last question. */
  readonly server: boolean;
  /** True when the stream sent anything to the reader, and while there is no reader. */
  readonly stream: boolean;
}

/** Counts the looks for signs of life, of a server and of the stream that it keeps. */
export class SignsOfLife {
  #quiet = 0;
  #unread = 0;

  /** Returns the reason why the connection is lost after a look; undefined while it is not. */
  look({ server, stream }: Signs): string | undefined {
    this.#quiet = server ? 0 : this.#quiet + 1;
    // A stream can send nothing through a server that is silent itself.
    if (stream) this.#unread = 0;
    else if (server) this.#unread++;
    if (this.#quiet >= QUIET_LOOKS) return "NATS: the server does not answer";
    return this.#unread >= QUIET_LOOKS ? "NATS: the stream gives no sign of life" : undefined;
  }
}
