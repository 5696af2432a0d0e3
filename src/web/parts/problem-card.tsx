import type { Problem } from "../state/health.ts";
import { documentRoute, hrefOf } from "../state/route.ts";
import { Ago } from "./ago.tsx";
import { Icon } from "./icon.tsx";
import "./problem-card.css";

const WHERE: Record<Problem["what"], string> = {
  store: "The store",
  file: "A file",
  watcher: "Watching files",
  tokens: "Tokens",
};

/** What does not work, since when, and what to do. */
export function ProblemCard({ problem }: { readonly problem: Problem }) {
  const { what, path, message, since, advice } = problem;
  return (
    <article class="problem card">
      <Icon name="alert" size={18} />
      <div>
        <h3>{path === undefined ? WHERE[what] : <a href={hrefOf(documentRoute(path))}>{path}</a>}</h3>
        <p>{message}</p>
        <p class="problem-advice">{advice}</p>
      </div>
      <Ago time={since} />
    </article>
  );
}
