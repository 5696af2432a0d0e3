import { lazily } from "../lazily.ts";

export const loro = lazily<typeof import("loro-crdt")>("loro-crdt");
