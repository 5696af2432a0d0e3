// `npm run docs`: writes the protocol reference from the schemas.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { protocolReference } from "../src/protocol/reference.ts";

writeFileSync(join(import.meta.dirname, "protocol.md"), protocolReference());
