import { documentsByPath } from "./documents.ts";
import { connected } from "./session.ts";

const WRITE_LEVELS: readonly string[] = ["write", "admin"];

/** Why documents cannot be changed from here at present; undefined when they can, as far as is known. */
export function reasonNotWritable(paths: readonly string[]): string | undefined {
  if (!connected.value) return "The daemon is away; this can be done when it is back.";
  for (const path of paths) {
    const permission = documentsByPath.value?.get(path)?.permission;
    if (permission !== undefined && !WRITE_LEVELS.includes(permission))
      return `You may ${permission} ${path}; deciding this takes write.`;
  }
  return undefined;
}
