// Serves a folder as `spliced run` does. After SIGUSR2 it ends (SIGKILL) when it reaches a step for the nth time.
import { startDaemon } from "../../dist/bin/daemon.js";

const [root, step, nth] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
process.on("SIGUSR2", () => {
  left = Number(nth);
});
const reached = (at) => {
  if (at === step && --left === 0) process.kill(process.pid, "SIGKILL");
};
await startDaemon({ root, port: 0, reached });
