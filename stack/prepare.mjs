// The first step of `npm start` and `npm test`. It runs on a bare machine with the system's Node (20 or newer) and no
// package installed, so it is plain JavaScript with Node's own modules only: it installs the packages when they are
// missing or old, and hands over to a TypeScript file on a Node that runs TypeScript.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const binFolder = join(root, "node_modules", ".bin");
// From here on Node strips types by itself, and modules can be loaded through synchronous hooks.
const NODE_MAJOR_MIN = 22;
const NODE_MINOR_MIN = 18;
const PARENT_CHECK_MS = 250;

// Every program of the project is compiled once: the next start is quicker, and needs no memory for the compiler.
const compileCache = join(root, "node_modules", ".cache", "node-compile");
// For a stack that is idle most of the time: glibc keeps freed memory per thread, of which Node has a dozen.
const SMALL = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" };

const [script, ...args] = process.argv.slice(2);
if (script === undefined) stopWith("usage: node stack/prepare.mjs SCRIPT [ARGUMENTS]");
if (!packagesAreInstalled()) installPackages();
handOver(findNode());

/** Compares what npm says it installed with what the lockfile asks for. */
function packagesAreInstalled() {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(([path, { version, optional, peer }]) => {
    if (path === "") return true;
    const found = installed[path];
    return found === undefined ? optional === true || peer === true : found.version === version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, peer?: boolean }>}
 */
function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
}

function installPackages() {
  if (process.env["SLUICE_NO_INSTALL"] === "1")
    stopWith("The npm packages are not installed, and SLUICE_NO_INSTALL=1 forbids it: run npm ci.");
  say("Installing npm packages (once, about a minute)");
  const npm = process.env["npm_execpath"];
  const [command, prefix] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const { status } = spawnSync(command, [...prefix, "ci", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) stopWith("npm ci failed; see its output above.");
}

/** The Node among the packages, else the running one. */
function findNode() {
  const candidates = [join(binFolder, "node"), process.execPath].filter((path) => existsSync(path));
  const node = candidates.find(runsTypeScript);
  if (node === undefined)
    stopWith(
      `Sluice needs Node ${NODE_MAJOR_MIN}.${NODE_MINOR_MIN} or newer on ${process.platform}-${process.arch}; this is ${process.version}.`,
    );
  return node;
}

/** @param {string} node */
function runsTypeScript(node) {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const [major = 0, minor = 0] = (stdout ?? "").trim().slice(1).split(".").map(Number);
  return major > NODE_MAJOR_MIN || (major === NODE_MAJOR_MIN && minor >= NODE_MINOR_MIN);
}

/**
 * Runs the program as a child: forwards signals, and exits with its code.
 * @param {string} node
 */
function handOver(node) {
  const isStack = script === "stack/main.ts";
  // The supervisor waits for its parts most of the time, and needs no large young generation.
  const flags = isStack ? ["--max-semi-space-size=1"] : [];
  const child = spawn(
    node,
    [
      ...flags,
      "--import",
      new URL("./program/lua-loader.ts", import.meta.url).href,
      join(root, String(script)),
      ...args,
    ],
    {
      cwd: root,
      env: {
        NODE_COMPILE_CACHE: compileCache,
        ...(isStack && SMALL),
        ...process.env,
        PATH: `${binFolder}:${process.env["PATH"] ?? ""}`,
      },
      // The channel closes when this process ends, even by SIGKILL, and the program notices.
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    },
  );
  // npm's shell dies of a signal without forwarding it; then the parent process changes. A second signal would stop the
  // program at once.
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS).unref();
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => stopWith(`Node could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

/**
 * On standard error, because the program's own output may go into a pipe.
 * @param {string} line
 */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * @param {string} line
 * @returns {never}
 */
function stopWith(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
