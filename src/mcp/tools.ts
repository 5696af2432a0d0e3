import type { Tool } from "./tool.ts";
import { batchTool } from "./tools/batch.ts";
import { editTool, patchTool, undoTool, writeTool } from "./tools/edits.ts";
import { deleteTool, renameTool } from "./tools/files.ts";
import { blameTool, changesSinceTool, diffTool, historyTool } from "./tools/history.ts";
import { listTool } from "./tools/list.ts";
import { proposalsTool } from "./tools/proposals.ts";
import { proposeTool } from "./tools/propose.ts";
import { readTool } from "./tools/read.ts";
import { reviewTool } from "./tools/review.ts";
import { searchTool } from "./tools/search.ts";
import { setFieldTool } from "./tools/set-field.ts";
import { answerTool, threadsTool } from "./tools/threads.ts";

/** All tools, in the order of the list for clients. */
export const mcpTools: readonly Tool[] = [
  listTool,
  searchTool,
  readTool,
  editTool,
  patchTool,
  writeTool,
  setFieldTool,
  batchTool,
  renameTool,
  deleteTool,
  diffTool,
  changesSinceTool,
  historyTool,
  blameTool,
  undoTool,
  proposeTool,
  proposalsTool,
  reviewTool,
  threadsTool,
  answerTool,
];
