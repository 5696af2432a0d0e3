// Prepares a clone: installs the packages of package-lock.json and builds, each only when needed. With --fresh it
// removes the previous build first, so that the package has no leftovers. It is plain JavaScript, because it runs
// before any package is installed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`spliced needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

const installed = join(root, "node_modules", ".package-lock.json");
if (changed(installed, [join(root, "package-lock.json")])) {
  console.error("installing packages …");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}
if (process.argv.includes("--fresh")) rmSync(join(root, "dist"), { recursive: true, force: true });
const lock = join(root, "package-lock.json");
const source = filesIn(join(root, "src"));
const isPage = (file) => file.startsWith(join(root, "src", "web"));
const program = join(root, "dist", "bin", "spliced.js");
const ofProgram = [
  ...source.filter((file) => !isPage(file)),
  ...filesIn(join(root, "bin")),
  join(root, "daemon.config.ts"),
  join(root, "tsconfig.build.json"),
  join(root, "vite.config.ts"),
  lock,
];
const builds = [];
if (changed(program, ofProgram)) {
  console.error("building …");
  builds.push(run("npm", ["run", "--silent", "build:daemon"]));
}
// The page contains the client and the files that the client imports, so all sources count.
if (changed(join(root, "dist", "web", "index.html"), [...source, lock])) {
  console.error("building the page …");
  builds.push(run("npm", ["run", "--silent", "build:page"]));
}
await Promise.all(builds);

// With this link `npx spliced` works in the clone as it does where the package is installed.
const command = join(root, "node_modules", ".bin", "spliced");
if (!existsSync(command)) symlinkSync(join("..", "..", "dist", "bin", "spliced.js"), command);

/** Returns whether a product is missing or older than one of its sources. */
function changed(product, sources) {
  if (!existsSync(product)) return true;
  const built = statSync(product).mtimeMs;
  return sources.some((file) => statSync(file).mtimeMs > built);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Runs a command to its end; when it fails, this process ends with its exit code. */
async function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  const [status] = await once(child, "close").catch((error) => [console.error(error.message)]);
  if (status !== 0) process.exit(status ?? 1);
}
