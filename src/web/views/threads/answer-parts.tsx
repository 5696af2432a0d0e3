import { Icon } from "../../parts/controls/icon.tsx";
import type { PlanStep, ToolCall } from "../../state/threads/thread-types.ts";

const STEP_TEXTS = { pending: "to do", in_progress: "in progress", completed: "done" } as const;
const TOOL_TEXTS = {
  pending: "begins",
  in_progress: "runs",
  completed: "done",
  failed: "failed",
} as const;

/** Shows the steps that the author of an answer plans, with the state of each. */
export function Plan({ steps }: { readonly steps: readonly PlanStep[] }) {
  if (steps.length === 0) return null;
  const done = steps.filter(({ status }) => status === "completed").length;
  return (
    <section class="plan" aria-label="Plan">
      <h3>
        Plan, {done} of {steps.length} done
      </h3>
      <ol>
        {steps.map(({ text, status }, i) => (
          <li key={i} class={status}>
            <StateIcon state={status} />
            <span>{text}</span>
            <span class="visually-hidden">: {STEP_TEXTS[status]}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows what the author of an answer did with tools, one sentence each. */
export function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  if (calls.length === 0) return null;
  return (
    <ul class="tool-calls" aria-label="Steps of the answer">
      {calls.map(({ id, title, status, paths = [] }) => (
        <li key={id} class={status}>
          <StateIcon state={status} />
          <span>
            {title}
            {status === "failed" && " (failed)"}
            {paths
              .filter((path) => !title.includes(path))
              .map((path) => (
                <code key={path}>{path}</code>
              ))}
          </span>
          {status !== "failed" && <span class="visually-hidden">: {TOOL_TEXTS[status]}</span>}
        </li>
      ))}
    </ul>
  );
}

function StateIcon({ state }: { readonly state: ToolCall["status"] }) {
  if (state === "completed") return <Icon name="check" size={12} />;
  if (state === "failed") return <Icon name="alert" size={12} />;
  return <span class={`step-dot ${state}`} aria-hidden="true" />;
}
