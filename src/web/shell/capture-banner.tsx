import { plural } from "../state/base/plural.ts";
import { daemonSettings } from "../state/base/settings.ts";

/** Shows in each view that the daemon captures the edits of agents with their text. */
export function CaptureBanner() {
  const capture = daemonSettings.value?.capture ?? null;
  if (capture === null) return null;
  return (
    <div class="banner" role="status">
      spliced captures what agents write, with the text, in <code>{capture.folder}</code> on its disk, for{" "}
      {plural(capture.hours, "hour")}.
    </div>
  );
}
