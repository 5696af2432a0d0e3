import { lazily } from "../../lazily.ts";

export const jsonc = lazily<typeof import("jsonc-parser")>("jsonc-parser");
