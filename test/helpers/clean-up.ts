import { afterAll } from "vitest";
import { cleanUp } from "../e2e/cleanup.ts";

// Vitest runs a setup file anew for each test file, also where test files share the modules that they import.
afterAll(cleanUp, 60_000);
