// Serves a folder as `spliced run` does, and dies (SIGKILL) when it reaches a step for the nth time.
import { startDaemon } from "../../dist/src/daemon/daemon.js";

const [root, step, nth] = process.argv.slice(2);
let left = Number(nth);
const reached = (at) => {
  if (at === step && --left === 0) process.kill(process.pid, "SIGKILL");
};
await startDaemon({ root, port: 0, reached });
