import { simulateMachines } from "./machines.ts";

const [from, n, show] = process.argv.slice(2).map(Number);
const t0 = performance.now();
let bad = 0;
const first = new Map<string, number[]>();
for (let s = from!; s < from! + n!; s++) {
  const run = await simulateMachines(s);
  if (run.problems.length) {
    bad++;
    const k = run.problems[0]!.replace(/[\u4e00-\u9fff]/g, "*").slice(0, 130);
    first.set(k.replace(/\d+|doc_\w+|chg_\w+/g, "#").slice(0, 70), [
      ...(first.get(k.replace(/\d+|doc_\w+|chg_\w+/g, "#").slice(0, 70)) ?? []),
      s,
    ]);
  }
  if (show) {
    console.log(run.trace.join("\n"));
    console.log(run.problems.join("\n"));
  }
}
for (const [k, v] of [...first].sort((a, b) => b[1].length - a[1].length))
  console.log(v.length, k, v.slice(0, 8).join(","));
console.log(n, "runs", bad, "bad", ((performance.now() - t0) / n!).toFixed(0), "ms/run");
