import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atChange } from "../machines.ts";
import type { Scope } from "../scope.ts";
import { type EditFloor, startEditFloor } from "./edits.ts";

/** Returns the start of machines that share a key and a NATS server. Each is the least server with a link to the others. */
export function floorMachines(
  scope: Scope,
  url: string,
  names: readonly string[],
): (scope: Scope, name: string, root?: string) => Promise<EditFloor> {
  const folder = scope.folder();
  const key = randomBytes(32).toString("base64");
  const pairs = names.map((name) => ({ name, ...keyPair() }));
  const machines = Object.fromEntries(pairs.map(({ name, open }) => [name, open]));
  for (const { name, secret } of pairs)
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({ url, machine: name, key, secret, machines }),
    );
  return (within, name, root) => startEditFloor(within, join(folder, `${name}.json`), root);
}

/** Has a machine open documents, and waits until the others have their files. */
export async function share(
  from: EditFloor,
  others: readonly EditFloor[],
  paths: readonly string[],
): Promise<void> {
  const { wire } = await from.wire("bench");
  for (const path of paths) await wire.request("doc.open", { path });
  await Promise.all(
    others.map(({ root }) => atChange(root, () => paths.every((path) => existsSync(join(root, path))))),
  );
}

function keyPair(): { readonly open: string; readonly secret: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return { open: publicKey.toString("base64"), secret: privateKey.toString("base64") };
}
