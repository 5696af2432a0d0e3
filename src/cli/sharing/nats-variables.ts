import { resolve } from "node:path";

const NATS = "SPLICED_NATS_";
/** The variables that name files, after `SPLICED_NATS_`. */
const FILES = new Set(["CREDS", "NKEY", "PASSWORD_FILE", "TOKEN_FILE", "CA", "CERT", "KEY"]);

/**
 * Returns the variables with a daemon's credentials at the broker. Their files have absolute paths, because the daemon
 * has another working folder.
 */
export function natsVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => name.startsWith(NATS));
  return Object.fromEntries(
    own.map(([name, value = ""]) => [
      name,
      FILES.has(name.slice(NATS.length)) && value !== "" ? resolve(value) : value,
    ]),
  );
}
