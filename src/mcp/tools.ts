import type { Tool } from "./tool.ts";
import { batchTool } from "./tools/batch.ts";
import { editTool, patchTool, undoTool, writeTool } from "./tools/edits.ts";
import { blameTool, changesSinceTool, diffTool, historyTool } from "./tools/history.ts";
import { listTool } from "./tools/list.ts";
import { proposeTool } from "./tools/propose.ts";
import { readTool } from "./tools/read.ts";

/** All tools, in the order of the list for clients. */
export const mcpTools: readonly Tool[] = [
  listTool,
  readTool,
  editTool,
  patchTool,
  writeTool,
  batchTool,
  diffTool,
  changesSinceTool,
  historyTool,
  blameTool,
  undoTool,
  proposeTool,
];
