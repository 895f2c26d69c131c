import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

/** The shell command that starts `runcast serve` with the torture agent and this log. */
export const serveCommand = (directory: string, port: number, log: string): string => {
  const config = path.join(root, "test/fixtures/torture-config.ts");
  const words = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    path.join(root, "src/cli.ts"),
    ...["serve", "--config", config, "--port", String(port), "--log", log],
  ];
  return `cd '${directory}' && exec ${words.map((word) => `'${word}'`).join(" ")}`;
};
