import { useEffect } from "preact/hooks";
import { Sparkline } from "../../parts/sparkline.tsx";
import { showError } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";
import { addSample, type Figures, figuresOf, samples } from "../../state/health/daemon-figures.ts";
import { sizeText } from "../document/size.ts";

const SAMPLE_MS = 1_000;

const FIGURES: readonly {
  readonly name: string;
  readonly of: (figures: Figures) => number;
  readonly format: (figure: number) => string;
}[] = [
  { name: "Edits", of: ({ editsPerSecond }) => editsPerSecond, format: (n) => `${n.toFixed(1)}/s` },
  {
    name: "Response time",
    of: ({ latencyMs }) => latencyMs,
    format: (n) => (n === 0 ? "–" : `${n.toFixed(1)} ms`),
  },
  { name: "Documents loaded", of: ({ documents }) => documents, format: (n) => n.toLocaleString("en") },
  { name: "Connections", of: ({ connections }) => connections, format: (n) => n.toLocaleString("en") },
  { name: "Memory", of: ({ memoryBytes }) => memoryBytes, format: sizeText },
];

/** Shows the daemon's current figures and their curves of the last minutes, while the page is visible. */
export function LiveFigures() {
  useEffect(() => {
    const client = theDaemon();
    let isAsking = false;
    const ask = async () => {
      if (isAsking || document.hidden) return;
      isAsking = true;
      try {
        addSample({ at: Date.now(), metrics: await client.metrics.get() });
      } catch (error) {
        clearInterval(every);
        showError("Could not load the figures", error);
      } finally {
        isAsking = false;
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
      <h2>Right now</h2>
      <div class="figures">
        {FIGURES.map(({ name, of, format }) => (
          <figure key={name} class="figure card">
            <figcaption>{name}</figcaption>
            <strong>{newest === undefined ? "…" : format(of(newest))}</strong>
            <Sparkline values={figures.map(of)} />
          </figure>
        ))}
      </div>
    </section>
  );
}
