import { documents } from "./documents.ts";
import { connected } from "./session.ts";

const WRITES: readonly string[] = ["write", "admin"];

/** Why documents cannot be changed from here at present; undefined when they can, as far as is known. */
export function whyNotWrite(paths: readonly string[]): string | undefined {
  if (!connected.value) return "The daemon is away; this can be done when it is back.";
  for (const path of paths) {
    const permission = documents.value?.get(path)?.permission;
    if (permission !== undefined && !WRITES.includes(permission))
      return `You may ${permission} ${path}; deciding this takes write.`;
  }
  return undefined;
}
