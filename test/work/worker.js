// A thread of a pool, in tests.
import { parentPort } from "node:worker_threads";

const tasks = {
  echo: (value) => value,
  forever() {
    for (;;);
  },
  die: () => process.exit(3),
  fail() {
    throw new RangeError("it failed");
  },
  // Waits until the first byte of a shared array is set.
  held(flag) {
    Atomics.wait(new Int32Array(flag), 0, 0);
    return "released";
  },
};

parentPort.on("message", ({ task, args }) => {
  try {
    parentPort.postMessage({ result: tasks[task](...args) });
  } catch (error) {
    parentPort.postMessage({ thrown: error.message });
  }
});
parentPort.postMessage("ready");
