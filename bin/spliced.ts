#!/usr/bin/env node
import { main } from "../src/cli/main.ts";
import { packageVersion } from "../src/package.ts";

process.exitCode = await main(process.argv.slice(2), packageVersion());
