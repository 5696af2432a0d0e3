import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * A package that is loaded when it is first asked for, without a wait: edits keep their order. For what few edits
 * need and every start would pay for.
 */
export function lazily<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}
