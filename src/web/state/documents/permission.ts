import { connected } from "../base/session.ts";
import { documentsByPath } from "./documents.ts";

const WRITE_LEVELS: readonly string[] = ["write", "admin"];

/** Returns why the person cannot change these documents now; undefined if nothing is known to prevent it. */
export function reasonNotWritable(paths: readonly string[]): string | undefined {
  if (!connected.value) return "Disconnected. You can do this when spliced is running again.";
  for (const path of paths) {
    const permission = documentsByPath.value?.get(path)?.permission;
    if (permission !== undefined && !WRITE_LEVELS.includes(permission))
      return `You have only ${permission} permission for ${path}. This needs write permission.`;
  }
  return undefined;
}
