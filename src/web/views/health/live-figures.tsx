import { useEffect } from "preact/hooks";
import { Sparkline } from "../../parts/sparkline.tsx";
import { addSample, type Figures, figuresOf, samples } from "../../state/figures.ts";
import { theDaemon } from "../../state/session.ts";
import { complain } from "../../state/tell.ts";

const EVERY_MS = 1_000;

const SHOWN: readonly {
  readonly name: string;
  readonly unit: string;
  readonly of: (figures: Figures) => number;
  readonly digits: number;
}[] = [
  { name: "Edits", unit: "/s", of: ({ editsPerSecond }) => editsPerSecond, digits: 1 },
  { name: "From edit to answer", unit: " ms", of: ({ latencyMs }) => latencyMs, digits: 1 },
  { name: "Documents in memory", unit: "", of: ({ documents }) => documents, digits: 0 },
  { name: "Connections", unit: "", of: ({ connections }) => connections, digits: 0 },
  { name: "Memory", unit: " MiB", of: ({ memoryMiB }) => memoryMiB, digits: 0 },
];

/** What the daemon does just now, and did in the last minutes, while somebody looks. */
export function LiveFigures() {
  useEffect(() => {
    const client = theDaemon();
    let asking = false;
    const ask = async () => {
      if (asking || document.hidden) return;
      asking = true;
      try {
        addSample({ at: Date.now(), metrics: await client.metrics.get() });
      } catch (error) {
        clearInterval(every);
        complain("The daemon’s figures are not to be had", error);
      } finally {
        asking = false;
      }
    };
    const every = setInterval(() => void ask(), EVERY_MS);
    void ask();
    return () => clearInterval(every);
  }, []);
  const figures = figuresOf(samples.value);
  const newest = figures.at(-1);
  return (
    <section aria-label="Figures">
      <h2>Just now</h2>
      <div class="figures">
        {SHOWN.map(({ name, unit, of, digits }) => (
          <figure key={name} class="figure card">
            <figcaption>{name}</figcaption>
            <strong>{newest === undefined ? "…" : `${of(newest).toFixed(digits)}${unit}`}</strong>
            <Sparkline values={figures.map(of)} />
          </figure>
        ))}
      </div>
    </section>
  );
}
