import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { z } from "zod";
import { parsedJson } from "../base/outcome.ts";

/** Bytes of a key, public or secret. */
export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** `Ed25519` signs, `X25519` agrees on a key with another pair. */
export type Curve = "Ed25519" | "X25519";

/** The two keys of a pair, each 32 bytes in base64url. */
export interface KeyPair {
  readonly public: string;
  readonly secret: string;
}

/** A text, and the signature of it in base64url. */
export interface Signed {
  readonly text: string;
  readonly signature: string;
}

/**
 * The purpose of a text's signature. A signature for one purpose is invalid for another. No envelope begins as these
 * signed texts do.
 */
export type Purpose = "invitation" | "certificate" | "possession" | "record";

/** Returns a schema for bytes in base64url, in their only spelling. */
function bytesSchema(length: number) {
  return z.string().refine(
    (text) => {
      const bytes = Buffer.from(text, "base64url");
      return bytes.length === length && bytes.toString("base64url") === text;
    },
    { error: `must be ${length} bytes in base64url`, abort: true },
  );
}

export const keySchema = bytesSchema(KEY_BYTES);
export const signatureSchema = bytesSchema(SIGNATURE_BYTES);
export const pairSchema = z.strictObject({ public: keySchema, secret: keySchema });
export const signedSchema = z.strictObject({ text: z.string(), signature: signatureSchema });

/** Draws a new pair. */
export function newPair(curve: Curve): KeyPair {
  const { privateKey } = curve === "Ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
  const { x, d } = privateKey.export({ format: "jwk" }) as { readonly x: string; readonly d: string };
  return { public: x, secret: d };
}

export function publicKey(curve: Curve, text: string): KeyObject {
  return createPublicKey({ key: jwk(curve, { x: text }), format: "jwk" });
}

export function secretKey(curve: Curve, pair: KeyPair): KeyObject {
  return createPrivateKey({ key: jwk(curve, { x: pair.public, d: pair.secret }), format: "jwk" });
}

function jwk(curve: Curve, members: JsonWebKey): JsonWebKey {
  return { kty: "OKP", crv: curve, ...members };
}

/** Returns true if the keys of a pair belong together. */
export function isPair(curve: Curve, { public: own, secret }: KeyPair): boolean {
  try {
    const derived = createPublicKey(secretKey(curve, { public: own, secret })).export({ format: "jwk" });
    return derived.x === own;
  } catch {
    return false; // newer versions of Node refuse such a pair
  }
}

/** True if another pair can agree on a key with a public X25519 key; a few keys agree with none. */
export function agrees(sealing: string): boolean {
  return agreed(newPair("X25519"), sealing) !== undefined;
}

/** Returns the secret of a pair and a public X25519 key; undefined if the key agrees on none. */
export function agreed(pair: KeyPair, sealing: string): Buffer | undefined {
  try {
    return diffieHellman({ privateKey: secretKey("X25519", pair), publicKey: publicKey("X25519", sealing) });
  } catch {
    return undefined;
  }
}

/** Signs a value, as JSON text, for one purpose. */
export function signed(purpose: Purpose, value: unknown, by: KeyPair): Signed {
  const text = JSON.stringify(value);
  return { text, signature: signatureOf(purpose, text, by) };
}

/** Returns the signature of a text for one purpose. */
export function signatureOf(purpose: Purpose, text: string, by: KeyPair): string {
  return sign(null, toSign(purpose, text), secretKey("Ed25519", by)).toString("base64url");
}

export function isSignature(purpose: Purpose, { text, signature }: Signed, by: string): boolean {
  return verify(null, toSign(purpose, text), publicKey("Ed25519", by), Buffer.from(signature, "base64url"));
}

/** Returns the value of a signed text if it has the schema's form; undefined otherwise. The signature is not checked. */
export function readSigned<T>({ text }: Signed, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(parsedJson(text)).data;
}

function toSign(purpose: Purpose, text: string): Buffer {
  return Buffer.from(`spliced ${purpose}\0${text}`);
}
