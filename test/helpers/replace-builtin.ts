import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** Replaces a function of one of Node's own modules until the test ends, for all modules that import it by name. */
export function replaceBuiltin<M extends object, K extends keyof M>(
  module: M,
  name: K,
  make: (real: M[K]) => M[K],
): void {
  const real = module[name];
  module[name] = make(real);
  syncBuiltinESMExports();
  onTestFinished(() => {
    module[name] = real;
    syncBuiltinESMExports();
  });
}
