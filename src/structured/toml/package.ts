import { lazily } from "../../lazily.ts";

export const toml = lazily<typeof import("smol-toml")>("smol-toml");
