import { lazily } from "../../lazily.ts";

export const yaml = lazily<typeof import("yaml")>("yaml");
