import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/**
 * Any torch build works. Requesting this one by name avoids the GPU packages, which are larger than everything else.
 */
const TORCH = "torch==2.13.0";
const SAY_MS = 10_000;

/** Creates a virtual environment with this version, if it does not exist yet. */
export const installOpenWebUi = async (
  directory: string,
  version: string,
  { upgrade }: { readonly upgrade: boolean },
): Promise<void> => {
  const program = path.join(directory, "bin/open-webui");
  const isThere = existsSync(program);
  const isFixed = version !== "newest";
  if (!isThere || (upgrade && !isFixed)) {
    const start = performance.now();
    console.log(`Installing Open WebUI ${version} into ${directory}. This takes a few minutes the first time.`);
    if (!isThere) await run(python(), ["-m", "venv", directory], "a virtual environment");
    const pip = (...args: string[]) => [
      "-m",
      "pip",
      "install",
      "--disable-pip-version-check",
      "--progress-bar=off",
      ...args,
    ];
    const inside = path.join(directory, "bin/python");
    if (!isThere) await run(inside, pip(TORCH), "torch");
    await run(inside, pip(...(isFixed ? [`open-webui==${version}`] : ["--upgrade", "open-webui"])), "Open WebUI");
    console.log(`  installed in ${Math.round((performance.now() - start) / 1000)} s`);
  }
  console.log(`Open WebUI ${version}: ${installedVersion(directory)} in ${directory}`);
};

/** Open WebUI only runs on Python 3.11 and 3.12. */
const python = (): string => {
  for (const name of ["python3.12", "python3.11", "python3", "python"]) {
    const { stdout } = spawnSync(name, ["-c", "import sys, venv; print(sys.version_info.minor)"], { encoding: "utf8" });
    if (["11", "12"].includes(stdout?.trim() ?? "")) return name;
  }
  throw new Error("Open WebUI needs Python 3.11 or 3.12 with the venv module. Found none.");
};

const installedVersion = (directory: string): string => {
  const code = "import importlib.metadata; print(importlib.metadata.version('open-webui'))";
  const { stdout } = spawnSync(path.join(directory, "bin/python"), ["-c", code], { encoding: "utf8" });
  return stdout.trim();
};

/** Reports progress occasionally. Prints the full output only on failure. */
const run = (program: string, args: readonly string[], what: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    let printed = "";
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`;
    const timer = setInterval(() => {
      const [last = ""] = printed.trimEnd().split("\n").slice(-1);
      console.log(`  ${what}, ${seconds()}: ${last.trim().slice(0, 100)}`);
    }, SAY_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(timer);
      if (code === 0) {
        console.log(`  ${what}: ${seconds()}`);
        resolve();
      } else reject(new Error(`${program} ${args.join(" ")} ended with ${code}:\n${printed.slice(-4000)}`));
    });
  });
