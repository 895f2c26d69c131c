import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

export interface Serving {
  readonly url: string;
  /** The server's output since it started listening, one line each. */
  readonly lines: readonly string[];
  /** Resolves when the server has printed this line. */
  printed(line: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a fixture in another process. Its first line is the URL that it listens on. */
export const serve = async (fixture: string, ...parameters: string[]): Promise<Serving> => {
  const file = path.join(import.meta.dirname, "fixtures", fixture);
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", file, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  let waiting: { readonly line: string; readonly resolve: () => void }[] = [];
  const reader = createInterface({ input: child.stdout! });
  const started = Promise.withResolvers<string>();
  reader.on("line", (line) => {
    started.resolve(line);
    lines.push(line);
    for (const { resolve } of waiting.filter((waiter) => waiter.line === line)) resolve();
    waiting = waiting.filter((waiter) => waiter.line !== line);
  });
  void exited.then(([code]) => started.reject(new Error(`${fixture} ended with ${code} before it listened`)));
  return {
    url: await started.promise,
    lines,
    printed: (line) =>
      lines.includes(line) ? Promise.resolve() : new Promise((resolve) => void waiting.push({ line, resolve })),
    async stop() {
      child.kill();
      await exited;
    },
  };
};
