import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { serve } from "../peers/serve.js";

// The least that a daemon does until it is ready: it opens its database, notes its address and listens. Loro can wait.
// Usage: start.js <folder>
const database = open({ path: join(process.argv[2], "floor"), maxDbs: 8 });
await database.openDB({ name: "documents" }).put("ready", 1);
writeFileSync(join(process.argv[2], "floor.json"), "{}", { flush: true });
serve(() => undefined);
