import { batchHandlers } from "./handlers/batches.ts";
import { documentHandlers } from "./handlers/documents.ts";
import { editHandlers } from "./handlers/edits.ts";
import type { Handlers } from "./handlers/handler.ts";
import { historyHandlers } from "./handlers/history.ts";
import { legacyHandlers } from "./handlers/legacy.ts";
import { previewHandlers } from "./handlers/previews.ts";
import { proposalHandlers } from "./handlers/proposals.ts";
import { threadHandlers } from "./handlers/threads.ts";
import { toolHandlers } from "./handlers/tools.ts";
import type { session } from "./schemas/session.ts";
import type { Method } from "./schemas.ts";

/** The methods that any connection may call once it has said hello; those about the connection are its session's. */
export type Served = Exclude<Method, keyof typeof session>;

export const handlers: Handlers<Served> = {
  ...documentHandlers,
  ...editHandlers,
  ...batchHandlers,
  ...previewHandlers,
  ...proposalHandlers,
  ...legacyHandlers,
  ...toolHandlers,
  ...historyHandlers,
  ...threadHandlers,
};
