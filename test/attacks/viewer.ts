import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { as } from "./users.ts";

export interface Watched {
  readonly count: number;
  /** The delay of each word, in milliseconds. */
  readonly p99: number;
  readonly max: number;
  /** The number of missing or duplicate words. */
  readonly gaps: number;
}

/** A viewer in a separate process, which the attacker's own load does not delay. */
export interface Viewer {
  /** The delays since the last call. */
  watched(): Promise<Watched>;
  close(): Promise<void>;
}

export const startViewer = async (url: string, run: string, key: string): Promise<Viewer> => {
  const program = path.join(import.meta.dirname, "../fixtures/viewer.ts");
  const { authorization = "" } = as(key);
  const child = fork(program, [`${url}/runs/${run}/events`, authorization], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the viewer ended with ${code}`);
  });
  ended.catch(() => {});
  const watched = async (): Promise<Watched> => {
    const answer = once(child, "message");
    child.send("");
    const [{ late, gaps }] = (await Promise.race([answer, ended])) as [{ late: number[]; gaps: number }];
    late.sort((one, other) => one - other);
    const p99 = late[Math.min(late.length - 1, Math.floor(late.length * 0.99))] ?? 0;
    return { count: late.length, p99, max: late.at(-1) ?? 0, gaps };
  };
  // Words from before the viewer connected are not late because of the server.
  while ((await watched()).count === 0) await new Promise((tick) => setTimeout(tick, 50));
  return {
    watched,
    close: async () => {
      child.kill();
      await ended.catch(() => {});
    },
  };
};
