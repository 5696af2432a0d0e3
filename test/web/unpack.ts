import chromium from "@sparticuz/chromium";

/** Unpacks the browser before test files, which run side by side, all do so at once. */
export default async function setup(): Promise<void> {
  if (process.platform === "linux" && process.arch === "x64") await chromium.executablePath();
}
