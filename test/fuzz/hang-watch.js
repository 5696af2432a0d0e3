// Watches the thread that started it. If that thread hangs, this one names the step and ends the process.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

const { step, seed, hangsMs } = workerData;
let last = Atomics.load(step, 0);
let since = Date.now();
setInterval(() => {
  const now = Atomics.load(step, 0);
  if (now !== last || now === -1) {
    last = now;
    since = Date.now();
  } else if (Date.now() - since > hangsMs) {
    writeSync(
      2,
      `\nstep ${now} of seed ${Atomics.load(seed, 0)} hangs for ${hangsMs} ms; the run is ended\n`,
    );
    process.kill(process.pid, "SIGKILL");
  }
}, 500);
