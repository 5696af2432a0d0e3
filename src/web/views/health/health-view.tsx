import { useEffect } from "preact/hooks";
import { ProblemCard } from "../../parts/cards/problem-card.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { askToConfirm } from "../../state/base/confirm.ts";
import { counts } from "../../state/base/counts.ts";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { plural } from "../../state/base/plural.ts";
import { theDaemon } from "../../state/base/session.ts";
import {
  type HealthReport,
  healthIsKnown,
  healthReport,
  type ReportedProblem,
  refreshHealth,
} from "../../state/health/health.ts";
import { DaemonFacts } from "./daemon-facts.tsx";
import { Lanes } from "./lanes.tsx";
import { LiveFigures } from "./live-figures.tsx";
import { Machines } from "./machines.tsx";
import { Profile } from "./profile.tsx";
import { Settings } from "./settings.tsx";
import "./health.css";

/** Shows the daemon's problems with advice, and its current figures. */
export function HealthView() {
  useEffect(() => void refreshHealth(), []);
  const now = healthReport.value;
  return (
    <div class="view">
      <header class="view-head">
        <h1>Health</h1>
        {now !== undefined && <ProblemCount />}
      </header>
      <div class="view-body">
        {now === undefined && !healthIsKnown.value ? (
          <Waiting />
        ) : now === undefined ? (
          <EmptyState icon="health" title="Cannot reach spliced">
            In a terminal, in the workspace folder, run <code>npx spliced start</code>. This page then
            reconnects.
          </EmptyState>
        ) : (
          <div class="health">
            <ProblemList now={now} />
            {now.machines !== undefined && <Machines machines={now.machines} />}
            <Lanes lanes={now.lanes ?? []} />
            <LiveFigures />
            <DaemonFacts health={now} />
            <Settings />
            <Profile />
          </div>
        )}
      </div>
    </div>
  );
}

function ProblemCount() {
  const count = counts.value.problems;
  if (count === 0) return <span class="chip good">no problems</span>;
  return <span class="chip bad">{plural(count, "problem")}</span>;
}

function ProblemList({ now: { problems, root } }: { readonly now: HealthReport }) {
  const missing = problems.filter(isMissing);
  const others = root === "gone" ? problems : problems.filter((problem) => !isMissing(problem));
  if (problems.length === 0 && root === "present" && counts.value.problems > 0) return null; // a lane's, below
  if (problems.length === 0 && root === "present")
    return (
      <p class="health-good">
        <Icon name="check" /> No problems. Edits are stored, and files are written and watched.
      </p>
    );
  return (
    <section class="problems" aria-label="Problems">
      <h2 class="visually-hidden">Problems</h2>
      {root === "gone" && (
        <article class="problem card">
          <Icon name="alert" size={18} />
          <div>
            <h3>The workspace folder is missing</h3>
            <p class="problem-advice">
              Move it back to its place. Until then spliced stores all edits and deletes nothing.
            </p>
          </div>
        </article>
      )}
      {root === "present" && missing.length > 0 && <MissingFiles problems={missing} />}
      {others.map((problem) => (
        <ProblemCard
          key={`${problem.what} ${problem.kind} ${problem.path} ${problem.message}`}
          problem={problem}
        />
      ))}
    </section>
  );
}

/**
 * Returns whether the problem is a file that disappeared together with others. A single missing file counts as
 * deleted.
 */
function isMissing({ what, kind }: ReportedProblem): boolean {
  return what === "file" && kind === "missing";
}

const MOST_PATHS = 5;

/** Shows files that disappeared together, and asks the person whether they were deleted. */
function MissingFiles({ problems }: { readonly problems: readonly ReportedProblem[] }) {
  const count = problems.length;
  const paths = problems.flatMap(({ path }) => path ?? []);
  const resume = async () => {
    const sure = await askToConfirm({
      title: "Were these files deleted on purpose?",
      text: `spliced will treat ${plural(count, "document")} as deleted. The history stays, and you can restore each document.`,
      yes: "Confirm deletion",
      danger: true,
    });
    if (!sure) return;
    const result = await attempt("Could not confirm the deletion", () => theDaemon().mirror.resume());
    if (result === undefined) return;
    showMessage("good", `${plural(result.deleted, "document")} deleted. The history stays.`);
    await refreshHealth();
  };
  return (
    <article class="problem card">
      <Icon name="alert" size={18} />
      <div>
        <h3>{count} files disappeared at once</h3>
        <p>spliced has not deleted them yet, as a folder may have moved or a disk may be disconnected.</p>
        {paths.length > 0 && (
          <p class="quiet">
            {paths.slice(0, MOST_PATHS).join(", ")}
            {paths.length > MOST_PATHS && ` and ${paths.length - MOST_PATHS} more`}
          </p>
        )}
        <p class="problem-advice">
          Put the files back and spliced continues. Or confirm that they were deleted.
        </p>
      </div>
      <Button tone="danger" onClick={() => void resume()}>
        Confirm deletion …
      </Button>
    </article>
  );
}
