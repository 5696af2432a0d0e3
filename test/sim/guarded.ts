/** The part of a simulated world that notes broken promises. */
interface Judged {
  wrong(problem: string): void;
}

/**
 * Plays a run to its end. What it throws breaks a promise, and so does a rejection that nobody takes care of before the
 * world has ended.
 */
export async function guarded(
  world: Judged,
  play: () => Promise<void>,
  end: () => Promise<void> = async () => {},
): Promise<void> {
  const rejected = (reason: unknown) => world.wrong(`nobody took care of ${described(reason)}`);
  process.on("unhandledRejection", rejected);
  try {
    await play();
  } catch (error) {
    world.wrong(`threw ${described(error)}`);
  } finally {
    await end();
    process.off("unhandledRejection", rejected);
  }
}

function described(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
