import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  inflateRawSync,
} from "node:zlib";

/** Fewer bytes stay plain, because that saves little. More do, because other requests wait meanwhile (I14). */
const LEAST = 32;
const MOST = 1 << 20;
/** The first byte tells the form of the others. */
const [PLAIN, DEFLATED, BROTLI] = [0, 1, 2];

/** At this quality brotli takes as long as deflate. Ten times the time would save a few percent more. */
const QUALITY = 4;
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

/** Returns bytes such as numbers in the shorter form. */
export function deflated(bytes: Uint8Array): Buffer {
  return shorter(bytes, DEFLATED, deflateRawSync);
}

/** Returns bytes with distant repetitions, such as a text and what was deleted of it, in the shorter form. */
export function squeezed(bytes: Uint8Array): Buffer {
  const params = { [BROTLI_PARAM_QUALITY]: QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return shorter(bytes, BROTLI, () => brotliCompressSync(bytes, { params }));
}

/** Returns the bytes that `deflated` or `squeezed` made shorter. */
export function inflated(bytes: Uint8Array): Buffer {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1);
  if (bytes[0] === PLAIN) return content;
  return bytes[0] === DEFLATED ? inflateRawSync(content) : brotliDecompressSync(content);
}

function shorter(bytes: Uint8Array, form: number, shorten: (bytes: Uint8Array) => Buffer): Buffer {
  const isTried = bytes.length >= LEAST && bytes.length <= MOST;
  const short = isTried ? shorten(bytes) : bytes;
  const isShorter = short.length < bytes.length;
  return Buffer.concat([Uint8Array.of(isShorter ? form : PLAIN), isShorter ? short : bytes]);
}
