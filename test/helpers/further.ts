import { test } from "vitest";
import { ALL } from "../e2e/long.ts";

/** A further test of rules that a shorter one holds already. `npm test` leaves it out, and says so at its start. */
export const further = ALL ? test : test.skip;
