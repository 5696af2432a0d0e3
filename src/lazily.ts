import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Returns a function that loads a package on its first call, synchronously, so that edits stay in their order. It
 * serves packages that few edits need but every start would have to load.
 */
export function lazily<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}
