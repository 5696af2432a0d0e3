// Preloaded with --import, this file writes each package that the project imports to $RECORD_IMPORTS, one a line.
// It is plain JavaScript, because it runs in the process of the built daemon.
import { register } from "node:module";

register(
  `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const own = context.parentURL !== undefined && !context.parentURL.includes("/node_modules/");
    if (own && /^(@|[a-z])[^:]*$/.test(specifier)) appendFileSync(process.env.RECORD_IMPORTS, specifier + "\\n");
    return next(specifier, context);
  }
`)}`,
);
