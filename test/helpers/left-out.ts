import { ALL } from "../e2e/long.ts";

/** Says at the start of a run that it leaves tests out. */
export default function setup(): void {
  if (!ALL)
    console.info(
      "Further tests of rules that other tests hold are left out: npm run test:all runs them, too.",
    );
}
