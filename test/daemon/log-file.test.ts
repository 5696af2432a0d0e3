import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type LogFile, openLogFile } from "../../src/daemon/log/log-file.ts";

const SETTINGS = { level: "info", maxFileBytes: 100, files: 2 } as const;
const LINE = `${"x".repeat(59)}\n`;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "spliced-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes lines one by one, each once the previous one is in its file, and closes the log. */
async function log(folder: string, lines: number): Promise<void> {
  const file = openLogFile(folder, SETTINGS);
  await once(file, "ready");
  for (let i = 0; i < lines; i++) {
    const written = once(file, "drain");
    file.write(LINE);
    await written;
  }
  await close(file);
}

const once = (file: LogFile, event: "ready" | "drain" | "close") =>
  new Promise<void>((done) => file.once(event, () => done()));

async function close(file: LogFile): Promise<void> {
  const closed = once(file, "close");
  file.end();
  await closed;
}

const filesIn = (folder: string) => readdirSync(folder).sort();

describe("the daemon's log", () => {
  test("[PK7] begins a new file at its full size, and tears no line", async () => {
    const folder = makeFolder();
    await log(folder, 3);
    expect(filesIn(folder)).toEqual(["daemon.1.log", "daemon.2.log"]);
    expect(filesIn(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([
      LINE + LINE,
      LINE,
    ]);
  });

  test("[PK16] continues in the newest file, and keeps only the newest files of all runs", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "daemon.x.log"), "not ours");
    for (let run = 0; run < 5; run++) await log(folder, 3);
    expect(filesIn(folder)).toEqual(["daemon.6.log", "daemon.7.log", "daemon.8.log", "daemon.x.log"]);
  });

  test("[PK7] loses no line while it begins a new file", async () => {
    const folder = makeFolder();
    const file = openLogFile(folder, { ...SETTINGS, files: 100 });
    for (let i = 0; i < 50; i++) file.write(LINE);
    await once(file, "drain");
    for (let i = 0; i < 50; i++) file.write(LINE);
    await close(file);
    expect(filesIn(folder)).toEqual(["daemon.1.log", "daemon.2.log"]);
    expect(
      filesIn(folder)
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(""),
    ).toBe(LINE.repeat(100));
  });

  test("[ME31] sets a timer for its lines, and none without lines", async () => {
    const folder = makeFolder();
    const file = openLogFile(folder, SETTINGS);
    await once(file, "ready");
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const openTimers = () => vi.getTimerCount();
    expect(openTimers()).toBe(0);
    const written = once(file, "drain");
    file.write(LINE);
    expect(openTimers()).toBe(1);
    vi.advanceTimersByTime(100);
    await written;
    vi.advanceTimersByTime(100);
    expect(openTimers()).toBe(0);
    expect(readFileSync(join(folder, "daemon.1.log"), "utf8")).toBe(LINE);
    vi.useRealTimers();
    await close(file);
  });

  test("[PK17] reports files that it cannot open or list, and goes on", async () => {
    const folder = makeFolder();
    const file = openLogFile(folder, SETTINGS);
    const failed = new Set<unknown>();
    file.on("error", ({ syscall }: NodeJS.ErrnoException) => failed.add(syscall));
    await once(file, "ready");
    rmSync(folder, { recursive: true });
    const written = once(file, "drain");
    file.write(LINE + LINE);
    await written;
    await expect.poll(() => [...failed].sort()).toEqual(["open", "scandir"]);
    await close(file);
  });
});
