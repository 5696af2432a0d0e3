import { spawnSync } from "node:child_process";

/** Returns whether a program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Names a program that is compared with, and says so when it is missing. */
export function named(program: string, what: string): string {
  return isInstalled(program) ? what : `${what}: missing, ${program} is not installed`;
}
