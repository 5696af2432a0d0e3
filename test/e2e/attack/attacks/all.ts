import type { Attack } from "../attack.ts";
import { edits } from "./edits.ts";
import { frames } from "./frames.ts";
import { others } from "./others.ts";
import { patterns } from "./patterns.ts";
import { proposals } from "./proposals.ts";
import { reading } from "./reading.ts";

/** All attacks, by their names. */
export const ATTACKS: readonly Attack[] = [
  ...frames,
  ...patterns,
  ...edits,
  ...proposals,
  ...reading,
  ...others,
];
