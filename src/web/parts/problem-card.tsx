import type { HealthProblem } from "../state/health.ts";
import { documentRoute, hrefOf } from "../state/route.ts";
import { Ago } from "./ago.tsx";
import { Icon } from "./icon.tsx";
import "./problem-card.css";

const AREAS: Record<HealthProblem["what"], string> = {
  store: "The store",
  file: "A file",
  watcher: "Watching files",
  tokens: "Tokens",
};

/** What does not work, since when, and what to do. */
export function ProblemCard({ problem }: { readonly problem: HealthProblem }) {
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
