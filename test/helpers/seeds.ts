import fc from "fast-check";

/** Every run draws the same cases, so that a failure means a change; SEED=n draws others. */
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
