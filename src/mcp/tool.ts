import type { z } from "zod";
import type { Agent } from "./agent.ts";

/** What a model may call. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** The contract in few words; the example is put after it. */
  readonly description: string;
  /** It changes nothing. */
  readonly reads: boolean;
  readonly schema: S;
  readonly example: z.input<S>;
  /** Answers one text, or several. @throws ToolFailure, RefusedError, DisconnectedError */
  run(agent: Agent, args: z.output<S>): Promise<string | readonly string[]>;
}

/** A tool among others, its arguments' types checked where it is written. */
export function defineTool<S extends z.ZodObject>(one: Tool<S>): Tool {
  return one as unknown as Tool;
}
