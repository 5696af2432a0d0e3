import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemCard } from "../../parts/problem-card.tsx";
import { askToConfirm } from "../../state/confirm.ts";
import { type HealthProblem, type HealthReport, healthReport, refreshHealth } from "../../state/health.ts";
import { attempt, showMessage } from "../../state/messages.ts";
import { plural } from "../../state/plural.ts";
import { theDaemon } from "../../state/session.ts";
import { DaemonFacts } from "./daemon-facts.tsx";
import { LiveFigures } from "./live-figures.tsx";
import { Profile } from "./profile.tsx";
import "./health.css";

/** How the daemon is: what does not work and what to do about it, and what it is busy with. */
export function HealthView() {
  const now = healthReport.value;
  return (
    <div class="view">
      <header class="view-head">
        <h1>Health</h1>
        {now !== undefined && <ProblemCount now={now} />}
      </header>
      <div class="view-body">
        {now === undefined ? (
          <EmptyState icon="health" title="The daemon does not answer">
            Start it in the workspace with <code>spliced start</code>. This page goes on by itself.
          </EmptyState>
        ) : (
          <div class="health">
            <ProblemList now={now} />
            <LiveFigures />
            <DaemonFacts health={now} />
            <Profile />
          </div>
        )}
      </div>
    </div>
  );
}

function ProblemCount({ now }: { readonly now: HealthReport }) {
  const count = now.problems.length + (now.root === "gone" ? 1 : 0);
  if (count === 0) return <span class="chip good">all is well</span>;
  return <span class="chip bad">{count === 1 ? "one problem" : `${count} problems`}</span>;
}

function ProblemList({ now: { problems, root } }: { readonly now: HealthReport }) {
  const waitsFor = problems.filter(isMissing);
  const others = root === "gone" ? problems : problems.filter((problem) => !isMissing(problem));
  if (problems.length === 0 && root === "present")
    return (
      <p class="health-well">
        <Icon name="check" /> Edits are stored, files are written and watched, and nobody has to see to
        anything.
      </p>
    );
  return (
    <section class="problems" aria-label="Problems">
      {root === "gone" && (
        <article class="problem card">
          <Icon name="alert" size={18} />
          <div>
            <h3>The workspace’s folder is gone</h3>
            <p class="problem-advice">Put it back; all edits are kept until then, and nothing is deleted.</p>
          </div>
        </article>
      )}
      {root === "present" && waitsFor.length > 0 && <MissingFiles problems={waitsFor} />}
      {others.map((problem) => (
        <ProblemCard
          key={`${problem.what} ${problem.kind} ${problem.path} ${problem.message}`}
          problem={problem}
        />
      ))}
    </section>
  );
}

/** A file that is waited for, where others went with it; a single one that is gone is just deleted. */
function isMissing({ what, kind }: HealthProblem): boolean {
  return what === "file" && kind === "missing";
}

const MOST_PATHS = 5;

/** Many files that went missing at once are waited for until a person says what became of them. */
function MissingFiles({ problems }: { readonly problems: readonly HealthProblem[] }) {
  const count = problems.length;
  const paths = problems.flatMap(({ path }) => path ?? []);
  const resume = async () => {
    const sure = await askToConfirm({
      title: "Were these files deleted on purpose?",
      text: `${plural(count, "document")} will count as deleted. The history is kept, and each can be restored.`,
      yes: "They are deleted",
      danger: true,
    });
    if (!sure) return;
    const done = await attempt("The mirror waits still", () => theDaemon().mirror.resume());
    if (done === undefined) return;
    showMessage("good", `${plural(done.deleted, "document")} deleted; the history is kept.`);
    await refreshHealth();
  };
  return (
    <article class="problem card">
      <Icon name="alert" size={18} />
      <div>
        <h3>{count} files went missing at once</h3>
        <p>
          They are waited for: that many at once look like a folder that was moved or a disk that is away.
        </p>
        {paths.length > 0 && (
          <p class="quiet">
            {paths.slice(0, MOST_PATHS).join(", ")}
            {paths.length > MOST_PATHS && ` and ${paths.length - MOST_PATHS} more`}
          </p>
        )}
        <p class="problem-advice">
          Bring them back and all goes on by itself. Or say that they were deleted.
        </p>
      </div>
      <Button tone="danger" onClick={() => void resume()}>
        They were deleted …
      </Button>
    </article>
  );
}
