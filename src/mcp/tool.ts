import type { z } from "zod";
import type { Agent } from "./agent.ts";

/** A tool that a model can call. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** The contract in few words; clients get the example after it. */
  readonly description: string;
  /** True if the tool changes nothing. */
  readonly reads: boolean;
  readonly schema: S;
  readonly example: z.input<S>;
  /** Runs the tool and returns one or several texts. @throws ToolFailure, RefusedError, DisconnectedError */
  run(agent: Agent, args: z.output<S>): Promise<string | readonly string[]>;
}

/** Checks a tool's argument types where the tool is defined, and returns it as one of many. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Tool {
  return tool as unknown as Tool;
}
