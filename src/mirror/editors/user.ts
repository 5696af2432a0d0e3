import { isAbsolute, join } from "node:path";

/** The user whose editors are looked at. */
export interface User {
  /** The home folder. */
  readonly home: string;
  /** The environment, which may name other folders for the files of programs. */
  readonly env: NodeJS.ProcessEnv;
}

/** The variables that name the user's folders, with the folders beneath the home folder where they are not set. */
const DEFAULTS = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
} as const;

/**
 * Returns the folders in which the user's programs may keep such files. The default is always among them, because an
 * editor's environment may differ from the daemon's. Programs ignore a relative path in these variables.
 */
export function foldersOf({ home, env }: User, variable: keyof typeof DEFAULTS): readonly string[] {
  const configured = env[variable];
  const usual = join(home, DEFAULTS[variable]);
  if (configured === undefined || !isAbsolute(configured)) return [usual];
  return [...new Set([join(configured), usual])];
}
