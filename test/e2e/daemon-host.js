// Serves the folders of several tests in this process, which has loaded the program already.
const { startDaemon } = await import(process.argv[2]);

const daemons = new Map();

const WORK = {
  serve: async (root, port) => daemons.set(root, await startDaemon({ root, port })),
  close: async (root) => {
    const daemon = daemons.get(root);
    daemons.delete(root);
    await daemon?.close();
  },
};

process.on("message", async ({ id, does, root, port }) => {
  try {
    await WORK[does](root, port);
    process.send({ id });
  } catch (error) {
    process.send({ id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", () => process.exit());
