import { Ago } from "../../parts/ago.tsx";
import { plural } from "../../state/base/plural.ts";
import { workspace } from "../../state/base/session.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import type { HealthReport, StoredFigures } from "../../state/health/health.ts";
import { sizeText } from "../document/size.ts";

/** Shows the workspace, the address and the version of the daemon. */
export function DaemonFacts({
  health: { version, startedAt, cover, stored },
}: {
  readonly health: HealthReport;
}) {
  return (
    <section aria-label="This workspace">
      <h2>This workspace</h2>
      <dl class="facts">
        <dt>Folder</dt>
        <dd>
          <code>{workspace.value}</code>
        </dd>
        <dt>Documents</dt>
        <dd>{documentsByPath.value?.size.toLocaleString("en") ?? "…"}</dd>
        <dt>Cover</dt>
        <dd>
          {cover.lines.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </dd>
        <dt>Address</dt>
        <dd>
          <code>{location.origin}</code>
        </dd>
        <dt>Version</dt>
        <dd>spliced {version}</dd>
        <dt>Started</dt>
        <dd>
          <Ago time={startedAt} />
        </dd>
        {stored !== undefined && <StoredFacts stored={stored} />}
      </dl>
    </section>
  );
}

/** Shows what the daemon stores, where, and for whom. */
function StoredFacts({ stored }: { readonly stored: StoredFigures }) {
  const { historyBytes, keepHistoryDays, logFolder, logBytes, tokens } = stored;
  return (
    <>
      <dt>History</dt>
      <dd>
        {sizeText(historyBytes)} on disk,{" "}
        {keepHistoryDays === 0 ? "kept completely" : `kept for ${plural(keepHistoryDays, "day")}`}
      </dd>
      <dt>Log</dt>
      <dd>
        {sizeText(logBytes)} in <code>{logFolder}</code>
      </dd>
      <dt>Tokens</dt>
      <dd>
        {tokens.length === 0 && "None besides the owner’s."}
        {tokens.map(({ name, allow }) => (
          <div key={name}>
            {name}: <code>{allow.join(", ")}</code>
          </div>
        ))}
      </dd>
    </>
  );
}
