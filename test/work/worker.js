// A thread of a pool, in tests.
import { parentPort } from "node:worker_threads";

const tasks = {
  echo: (value) => value,
  forever() {
    for (;;);
  },
  die: () => process.exit(3),
  // Resolves when somebody takes what this thread prints.
  print: (text) => new Promise((printed) => process.stderr.write(text, () => printed("printed"))),
  fail() {
    throw new RangeError("it failed");
  },
  // Waits until the first byte of a shared array is set.
  held(flag) {
    Atomics.wait(new Int32Array(flag), 0, 0);
    return "released";
  },
};

parentPort.on("message", async ({ task, args }) => {
  try {
    parentPort.postMessage({ result: await tasks[task](...args) });
  } catch (error) {
    parentPort.postMessage({ thrown: error.message });
  }
});
parentPort.postMessage("ready");
