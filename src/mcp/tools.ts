import type { Tool } from "./tool.ts";
import { batch } from "./tools/batch.ts";
import { blame, changesSince, diff, history } from "./tools/history.ts";
import { edit, patch, undo, write } from "./tools/edits.ts";
import { list } from "./tools/list.ts";
import { propose } from "./tools/propose.ts";
import { read } from "./tools/read.ts";

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  list,
  read,
  edit,
  patch,
  write,
  batch,
  diff,
  changesSince,
  history,
  blame,
  undo,
  propose,
];
