import { useEffect } from "preact/hooks";
import { Sparkline } from "../../parts/sparkline.tsx";
import { addSample, type Figures, figuresOf, samples } from "../../state/daemon-figures.ts";
import { showError } from "../../state/messages.ts";
import { theDaemon } from "../../state/session.ts";

const SAMPLE_MS = 1_000;

const FIGURES: readonly {
  readonly name: string;
  readonly of: (figures: Figures) => number;
  readonly inWords: (figure: number) => string;
}[] = [
  { name: "Edits", of: ({ editsPerSecond }) => editsPerSecond, inWords: (n) => `${n.toFixed(1)}/s` },
  {
    name: "Edit to answer",
    of: ({ latencyMs }) => latencyMs,
    inWords: (n) => (n === 0 ? "–" : `${n.toFixed(1)} ms`),
  },
  { name: "Documents loaded", of: ({ documents }) => documents, inWords: (n) => n.toLocaleString("en") },
  { name: "Connections", of: ({ connections }) => connections, inWords: (n) => n.toLocaleString("en") },
  { name: "Memory", of: ({ memoryMiB }) => memoryMiB, inWords: (n) => `${n.toFixed(0)} MiB` },
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
        showError("The daemon’s figures are not to be had", error);
      } finally {
        asking = false;
      }
    };
    const every = setInterval(() => void ask(), SAMPLE_MS);
    void ask();
    return () => clearInterval(every);
  }, []);
  const figures = figuresOf(samples.value);
  const newest = figures.at(-1);
  return (
    <section aria-label="Figures">
      <h2>Just now</h2>
      <div class="figures">
        {FIGURES.map(({ name, of, inWords }) => (
          <figure key={name} class="figure card">
            <figcaption>{name}</figcaption>
            <strong>{newest === undefined ? "…" : inWords(of(newest))}</strong>
            <Sparkline values={figures.map(of)} />
          </figure>
        ))}
      </div>
    </section>
  );
}
