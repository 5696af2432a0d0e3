import type { z } from "zod";
import type { OtherNames } from "../protocol/params/parameter-names.ts";
import type { Agent } from "./agent.ts";
import type { Answer } from "./answer.ts";

/** A tool that a model can call. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  /** A name that is clear also beside the tools of other servers, as not every client puts a prefix before it. */
  readonly name: string;
  /** The name in earlier builds, which is still answered. */
  readonly formerly?: string;
  /** A further form of the arguments under the former name: the tool for the arguments that have it. */
  readonly formerForm?: { readonly has: (given: unknown) => boolean; readonly tool: Tool };
  readonly title: string;
  /** The contract in few words. */
  readonly description: string;
  /** True if the tool changes nothing. */
  readonly reads: boolean;
  /** True if the tool may take something away. */
  readonly destroys?: boolean;
  readonly schema: S;
  /** Names of arguments that are taken, too, and not shown. */
  readonly otherNames?: OtherNames;
  /** The form of `data`; missing where the answer is text that models copy, which JSON would escape. */
  readonly output?: z.ZodObject;
  /** Right arguments, for the reference and for the answer to wrong ones. */
  readonly example: z.input<S>;
  /** Runs the tool. @throws ToolFailure, RefusedError, DisconnectedError */
  run(agent: Agent, args: z.output<S>): Promise<string | Answer>;
}

/** Checks a tool's argument types where the tool is defined, and returns it as one of many. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Tool {
  return tool as unknown as Tool;
}
