/** True in the long form: `npm run test:long`, or one file: `COUNT=200 npm run test:long -- test/e2e/crash.test.ts`. */
export const LONG = process.env["LONG"] === "1";

/** The part of the repetitions of the long form that run: `SHARE=0.05` runs a twentieth of them. */
const SHARE = Number(process.env["SHARE"] ?? 1);

/**
 * Returns the number of repetitions: one for `npm test`, one for the long form, or that of `COUNT`. A share of the long
 * form never has fewer than `npm test`.
 */
export function times(short: number, long: number): number {
  return LONG ? Number(process.env["COUNT"] ?? Math.max(short, Math.ceil(SHARE * long))) : short;
}

/** Some numbers to try in `npm test`, and 1 up to a number in the long form. */
export function counted(few: readonly number[], long: number): readonly number[] {
  return LONG ? Array.from({ length: times(few.length, long) }, (_, i) => i + 1) : few;
}

/** True where further tests run, too: on CI, in the long form, and with `npm run test:all`. */
export const ALL = LONG || process.env["ALL"] === "1";
