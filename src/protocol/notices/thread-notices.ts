import type { ThreadEvent } from "../../workspace/threads/thread.ts";

const encoded = new WeakMap<ThreadEvent, string>();

/** Returns the notification of a thread's event, encoded once for all connections. */
export function threadNotice(event: ThreadEvent): string {
  let frame = encoded.get(event);
  if (frame === undefined) {
    frame = JSON.stringify({ jsonrpc: "2.0", method: `thread.${event.type}`, params: paramsOf(event) });
    encoded.set(event, frame);
  }
  return frame;
}

/** Returns the id of the thread of an event. */
export function threadIdOf(event: ThreadEvent): string {
  return "thread" in event ? event.thread.id : event.threadId;
}

function paramsOf(event: ThreadEvent): object {
  switch (event.type) {
    case "message":
      return { thread: event.thread, message: event.message };
    case "changed":
      return { thread: event.thread };
    case "part": {
      const { threadId: thread, messageId, index, parts } = event;
      return { thread, messageId, index, parts };
    }
    case "stop": {
      const { threadId: thread, leaseId, by } = event;
      return { thread, leaseId, by };
    }
  }
}
