/** The id of a WebAssembly module's memory section, and the offset of the first section. */
const MEMORY_SECTION = 5;
const FIRST_SECTION = 8;

/**
 * Returns a WebAssembly module whose memory cannot grow beyond `pages` of 64 KB. A module that requests more traps,
 * instead of using up the machine's memory.
 *
 * @throws when the module does not declare exactly one memory of its own without a limit
 */
export function limitMemory(module: Uint8Array, pages: number): Uint8Array {
  for (let at = FIRST_SECTION; at < module.length; ) {
    const [size, body] = readUint(module, at + 1);
    if (module[at] === MEMORY_SECTION) {
      const [count, limits] = readUint(module, body);
      if (count !== 1 || module[limits] !== 0) throw new Error("the module's memory already has a limit");
      const [initial] = readUint(module, limits + 1);
      const section = [1, 1, ...uint(initial), ...uint(pages)];
      const head = module.subarray(0, at);
      return Buffer.concat([
        head,
        Uint8Array.from([MEMORY_SECTION, ...uint(section.length), ...section]),
        module.subarray(body + size),
      ]);
    }
    at = body + size;
  }
  throw new Error("the module has no memory of its own");
}

/** Reads a LEB128 number; returns it and the index after it. */
function readUint(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at + 1];
  }
}

function uint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...uint(value >>> 7)];
}
