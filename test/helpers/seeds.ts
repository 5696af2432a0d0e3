import fc from "fast-check";

/** The seed of every run, always the same, so that a failure means a change; SEED=n sets another. */
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
