import { Ago } from "../parts/ago.tsx";
import { plural } from "../state/base/plural.ts";
import { hrefOf } from "../state/base/route.ts";
import { connected } from "../state/base/session.ts";
import { healthReport } from "../state/health/health.ts";
import { linkTrouble } from "../state/health/sharing.ts";

/** Shows in each view that changes do not reach the other machines. */
export function LinkBanner() {
  const { machines, askedAt } = healthReport.value ?? {};
  const trouble = machines && linkTrouble(machines, askedAt!);
  if (machines === undefined || trouble === undefined || !connected.value) return null;
  const { since, waiting, waitingSince } = machines;
  return (
    <div class="banner" role="status">
      {trouble === "away" && (
        <>
          The server between your machines is away since <Ago time={since!} since />.{" "}
          {waiting === 0 ? "You can go on working." : `${plural(waiting, "message")} will be sent later.`}
        </>
      )}
      {trouble === "slow" && (
        <>
          {waiting === 1 ? "1 message waits" : `${waiting} messages wait`} for the server between your
          machines since <Ago time={waitingSince!} since />.
        </>
      )}{" "}
      <a href={hrefOf({ view: "health" })}>Show the machines</a>
    </div>
  );
}
