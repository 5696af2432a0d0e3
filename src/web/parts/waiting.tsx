import { connected } from "../state/base/session.ts";

/** Shows that a view waits for the daemon's answer, and whether it waits for the daemon itself. */
export function Waiting({
  text = "Loading …",
  place = "",
}: {
  readonly text?: string;
  readonly place?: string;
}) {
  return (
    <p class={`quiet ${place}`}>
      {connected.value ? text : "Disconnected. This appears once spliced is running again."}
    </p>
  );
}
