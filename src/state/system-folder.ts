import { realpathSync } from "node:fs";
import { parse } from "node:path";
import { isWithin } from "../paths/within.ts";

/** Folders that the kernel fills, and the one in them that has files of programs. */
const OF_KERNEL = ["/proc", "/sys", "/dev"];
const OF_PROGRAMS = "/dev/shm";

/**
 * Returns why a folder cannot be a workspace: it is the root of the file system, or the kernel makes its files;
 * undefined for every other folder. A walk of the kernel's files has no end, and to read one can have an effect.
 */
export function systemDoubt(folder: string): string | undefined {
  const place = realpathSync(folder);
  if (place === parse(place).root) return "it is the root of the file system, with the files of all programs";
  const kernels = OF_KERNEL.find((one) => isWithin(place, one));
  if (kernels === undefined || isWithin(place, OF_PROGRAMS)) return undefined;
  return `the files in ${kernels} are the kernel's, and no documents`;
}
