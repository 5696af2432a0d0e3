import { NatsOptionsError, natsUrls, PORT } from "./nats-address.ts";

export interface NatsServer {
  readonly host: string;
  readonly port: number;
}

/** The credentials of a daemon at the broker. */
export type NatsCredentials =
  | { readonly kind: "creds"; readonly file: Uint8Array }
  | { readonly kind: "nkey"; readonly seed: Uint8Array }
  | { readonly kind: "user"; readonly user: string; readonly password: string }
  | { readonly kind: "token"; readonly token: string };

/** Certificates in PEM. */
export interface NatsTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface NatsOptions {
  /** The servers of one broker, tried in turns. */
  readonly servers: readonly NatsServer[];
  readonly credentials: NatsCredentials | undefined;
  /** Undefined: the connection is encrypted only if the server asks for it. */
  readonly tls: NatsTls | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
/** Returns the bytes of a file. @throws Error when the file is missing */
export type ReadFile = (path: string) => Uint8Array;

const ENVIRONMENT = "SPLICED_NATS_";

/**
 * Reads the broker's address and the way to reach it: URLs with commas between them, and the variables
 * `SPLICED_NATS_CREDS`, `_NKEY` (files), `_USER`, `_PASSWORD`, `_TOKEN` (the last two also as `_FILE`), `_CA`, `_CERT`
 * and `_KEY` (files).
 *
 * @throws NatsOptionsError
 */
export function natsOptions(urls: string, env: Environment, read: ReadFile): NatsOptions {
  const parsed = natsUrls(urls);
  const tls = certificates(env, read);
  return {
    servers: parsed.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || PORT),
    })),
    credentials: onlyOne([...parsed.flatMap(inUrl), ...inEnvironment(env, read)]),
    tls: tls ?? (parsed.some(({ protocol }) => protocol === "tls:") ? {} : undefined),
  };
}

function inUrl({ username, password }: URL): NatsCredentials[] {
  if (username === "" && password === "") return [];
  const user = decodeURIComponent(username);
  // NATS treats a name without a password as a token.
  return password === ""
    ? [{ kind: "token", token: user }]
    : [{ kind: "user", user, password: decodeURIComponent(password) }];
}

function inEnvironment(env: Environment, read: ReadFile): NatsCredentials[] {
  const file = fileOf(env, "CREDS", read);
  const seed = fileOf(env, "NKEY", read);
  const user = variable(env, "USER");
  const password = secretOf(env, "PASSWORD", read);
  const token = secretOf(env, "TOKEN", read);
  if ((user === undefined) !== (password === undefined))
    throw new NatsOptionsError(
      `${ENVIRONMENT}USER and ${ENVIRONMENT}PASSWORD belong together, and one of them is missing; set both`,
    );
  const found: NatsCredentials[] = [];
  if (file !== undefined) found.push({ kind: "creds", file });
  if (seed !== undefined) found.push({ kind: "nkey", seed: trimmed(seed) });
  if (user !== undefined && password !== undefined) found.push({ kind: "user", user, password });
  if (token !== undefined) found.push({ kind: "token", token });
  return found;
}

function onlyOne(found: readonly NatsCredentials[]): NatsCredentials | undefined {
  const [first, ...others] = found;
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw new NatsOptionsError(
      `several credentials are given for NATS (${[...new Set(found.map(({ kind }) => kind))].join(", ")}); keep one, in the URL or in a variable ${ENVIRONMENT}…`,
    );
  return first;
}

function certificates(env: Environment, read: ReadFile): NatsTls | undefined {
  const [ca, cert, key] = ["CA", "CERT", "KEY"].map((name) => {
    const bytes = fileOf(env, name, read);
    return bytes && new TextDecoder().decode(bytes);
  });
  if ((cert === undefined) !== (key === undefined))
    throw new NatsOptionsError(
      `${ENVIRONMENT}CERT and ${ENVIRONMENT}KEY belong together, and one of them is missing; set both`,
    );
  if (ca === undefined && cert === undefined) return undefined;
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && key !== undefined && { cert, key }) };
}

const variable = (env: Environment, name: string) => env[ENVIRONMENT + name] || undefined;

/** Returns the content of the file that a variable names. */
function fileOf(env: Environment, name: string, read: ReadFile): Uint8Array | undefined {
  const path = variable(env, name);
  if (path === undefined) return undefined;
  try {
    return read(path);
  } catch (error) {
    throw new NatsOptionsError(
      `the file of ${ENVIRONMENT}${name} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Returns a secret that a variable holds, or the file of the variable with `_FILE`. */
function secretOf(env: Environment, name: string, read: ReadFile): string | undefined {
  const bytes = fileOf(env, `${name}_FILE`, read);
  return variable(env, name) ?? (bytes && new TextDecoder().decode(trimmed(bytes)));
}

/** Returns the bytes without the line break of a text file. */
const trimmed = (bytes: Uint8Array) => new TextEncoder().encode(new TextDecoder().decode(bytes).trim());
