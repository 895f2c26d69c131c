import { writeFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

/** The shell command that starts `runcast serve` with the torture agent and this log. SQLite stores it in this directory. */
export const serveCommand = (directory: string, port: number, log: string): string => {
  // A log is stored next to the configuration.
  const config = path.join(directory, "runcast.config.mjs");
  const fixture = path.join(root, "test/fixtures/torture-config.ts");
  writeFileSync(config, `export { default } from ${JSON.stringify(fixture)};\n`);
  const words = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    path.join(root, "src/cli.ts"),
    ...["serve", "--config", config, "--port", String(port), "--log", log],
  ];
  return `cd '${directory}' && exec ${words.map((word) => `'${word}'`).join(" ")}`;
};
