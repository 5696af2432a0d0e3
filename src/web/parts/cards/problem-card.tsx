import { documentRoute, hrefOf } from "../../state/base/route.ts";
import type { ReportedProblem } from "../../state/health/health.ts";
import { Ago } from "../ago.tsx";
import { Icon } from "../controls/icon.tsx";
import "./problem-card.css";

const AREAS: Record<ReportedProblem["what"], string> = {
  store: "Stored history",
  file: "A file",
  watcher: "File watching",
  tokens: "Tokens",
  machines: "Machines",
};

/** Shows a problem, its start and the advice. */
export function ProblemCard({ problem }: { readonly problem: ReportedProblem }) {
  const { what, path, message, since, advice } = problem;
  return (
    <article class="problem card">
      <Icon name="alert" size={18} />
      <div>
        <h3>{path === undefined ? AREAS[what] : <a href={hrefOf(documentRoute(path))}>{path}</a>}</h3>
        <p>{message}</p>
        <p class="problem-advice">{advice}</p>
      </div>
      <Ago time={since} />
    </article>
  );
}
