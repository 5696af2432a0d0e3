import { Ago } from "../../parts/ago.tsx";
import { documentCount } from "../../state/documents.ts";
import type { HealthReport } from "../../state/health.ts";
import { workspace } from "../../state/session.ts";

/** Shows the workspace, the address and the version of the daemon. */
export function DaemonFacts({ health: { version, startedAt, cover } }: { readonly health: HealthReport }) {
  return (
    <section aria-label="This workspace">
      <h2>This workspace</h2>
      <dl class="facts">
        <dt>Folder</dt>
        <dd>
          <code>{workspace.value}</code>
        </dd>
        <dt>Documents</dt>
        <dd>{documentCount.value.toLocaleString("en")}</dd>
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
      </dl>
    </section>
  );
}
