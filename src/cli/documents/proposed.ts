import type { Result } from "../../protocol/schemas/schemas.ts";
import { paint, print } from "../terminal/output.ts";

/** Prints that a document was created, or that its creation waits for approval. */
export function printCreated(made: Result<"doc.create">): void {
  if ("proposal" in made) printProposed(made.path, made.proposal);
  else print(`${paint("green", "created")} ${made.path} (version=${made.version})`);
}

/** Prints that a request became a proposal. */
export function printProposed(path: string, proposal: string): void {
  print(`${paint("cyan", "proposed")} ${path}: waits for approval as ${proposal}`);
}
