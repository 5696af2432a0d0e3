import type { Writable } from "node:stream";

/** Resolves once a stream takes more, or is closed. A stream that waits often keeps no listener of an earlier wait. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
}
