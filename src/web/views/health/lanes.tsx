import { plural } from "../../state/base/plural.ts";
import { hrefOf } from "../../state/base/route.ts";
import { sentence } from "../../state/base/sentence.ts";
import type { Lane } from "../../state/health/sharing.ts";
import "./sharing.css";

const TONES: Readonly<Record<Lane["waiting"][number]["status"], string>> = {
  proposed: "",
  refused: "bad",
  rejected: "warn",
  blocked: "bad",
};

/** Shows the lanes, and the files whose text the workspace does not have. */
export function Lanes({ lanes }: { readonly lanes: readonly Lane[] }) {
  if (lanes.length === 0) return null;
  return (
    <section aria-label="Lanes">
      <h2>Lanes</h2>
      <ul class="shared-list card">
        {lanes.map((lane) => (
          <LaneRow key={lane.name} lane={lane} />
        ))}
      </ul>
    </section>
  );
}

function LaneRow({ lane }: { readonly lane: Lane }) {
  const { name, folder, token, propose, files, waiting, proposal, commit, problem } = lane;
  return (
    <li class="shared-row lane">
      <span class={`dot ${problem === null ? "good" : "bad"}`} />
      <strong class="shared-name">{name}</strong>
      <span
        class="chip"
        title={propose ? "What is written there waits for approval" : "What is written there counts at once"}
      >
        {propose ? "proposes" : "live"}
      </span>
      <span class="shared-facts">
        {plural(files, "file")}, with the rights of {token}
      </span>
      <div class="lane-more">
        <code>{folder}</code>
        {problem !== null && <p class="lane-problem">This lane does not follow the workspace: {problem}.</p>}
        {commit !== null && (
          <p>
            Commit <code>{commit.slice(0, 12)}</code> of this lane is on no branch.
          </p>
        )}
        {waiting.length > 0 && (
          <ul class="shared-files">
            {waiting.map(({ path, status, deleted, why }) => (
              <li key={path}>
                <span class={`chip ${TONES[status]}`}>{deleted ? `${status}, deleted` : status}</span>{" "}
                <code>{path}</code> {why !== null && <span class="quiet">{sentence(why)}</span>}
              </li>
            ))}
          </ul>
        )}
        {proposal !== null && <a href={hrefOf({ view: "proposals", id: proposal })}>Review the proposal</a>}
      </div>
    </li>
  );
}
