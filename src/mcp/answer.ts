import { z } from "zod";

/** The answer of a tool. */
export interface Answer {
  readonly text: string;
  /** The answer as data, of the tool's output schema. It contains all facts of the text. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The path of a document that came into being, which the client gets as a link. */
  readonly created?: string;
}

/** The form of an edit's answer as data. */
export const edited = z.object({
  path: z.string(),
  version: z.string(),
  changeId: z.string().optional(),
  proposal: z.string().optional(),
  report: z.string(),
});
