import { randomBytes } from "node:crypto";
import { writeOwn } from "../../state/own.ts";
import { readSealed, sealed } from "../../state/seal.ts";

/** The port and the owner's token of a daemon, which its next process has, too: HTTP clients go on after a restart. */
export interface Door {
  readonly port: number | undefined;
  readonly token: string;
}

const TOKEN = /^[\w-]{43}$/;

/** Returns the door of the last daemon in this folder; a new one without such a door, and if another user made it. */
export function readDoor(file: string): Door {
  const fresh: Door = { port: undefined, token: randomBytes(32).toString("base64url") };
  try {
    const read = readSealed(file);
    const content = read?.genuine ? (read.content as { port?: unknown; token?: unknown } | null) : null;
    if (typeof content?.token !== "string" || !TOKEN.test(content.token)) return fresh;
    const { port } = content;
    return {
      token: content.token,
      port: Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? Number(port) : undefined,
    };
  } catch (error) {
    if (error instanceof SyntaxError) return fresh; // a damaged file costs the old address and no more
    throw error;
  }
}

export function writeDoor(file: string, door: Door): void {
  writeOwn(file, sealed(file, door));
}
