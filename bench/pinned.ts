import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A program of this folder in a separate process, pinned to a core if the system supports it. */
export interface Pinned<Answers> {
  ask<Name extends keyof Answers & string>(order: { readonly do: Name }, timeoutMs?: number): Promise<Answers[Name]>;
  stop(): Promise<void>;
}

export const start = <Answers>(
  program: string,
  { args = [], core, env = {} }: { args?: readonly string[]; core: number; env?: Record<string, string> },
): Pinned<Answers> => {
  const [command, ...rest] = pinned(core, [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "--expose-gc",
    fileURLToPath(new URL(program, import.meta.url)),
    ...args,
  ]);
  const child = spawn(command!, rest, {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    serialization: "advanced",
    env: { ...process.env, NODE_ENV: "production", ...env },
  });
  let complaint = "";
  child.stderr!.on("data", (chunk: Buffer) => (complaint = (complaint + chunk).slice(-4000)));
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  const exited = new Promise<void>((resolve) => {
    child.on("close", (code, signal) => {
      const why = `${program} ${args.join(" ")} ended (${signal ?? code}): ${lastError(complaint)}`;
      for (const { reject } of open.values()) reject(new Error(why));
      open.clear();
      resolve();
    });
  });
  child.on("message", ({ id, value, error }: { id: number; value: never; error?: string }) => {
    const waiter = open.get(id);
    open.delete(id);
    if (error === undefined) waiter?.resolve(value);
    else waiter?.reject(new Error(error));
  });
  let asked = 0;
  return {
    ask: (order, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const id = asked++;
        const timer = setTimeout(() => reject(new Error(`${program}: no answer to ${order.do} in time`)), timeoutMs);
        const settle =
          <Value>(done: (value: Value) => void) =>
          (value: Value) => {
            clearTimeout(timer);
            done(value);
          };
        open.set(id, { resolve: settle(resolve), reject: settle(reject) });
        if (child.connected) child.send({ id, order });
        else open.get(id)!.reject(new Error(`${program} has ended: ${lastError(complaint)}`));
      }),
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

/** The other side: answers each order of the parent process. */
export const answer = <Order>(handle: (order: Order) => Promise<unknown>) => {
  process.on("message", ({ id, order }: { id: number; order: Order }) => {
    handle(order).then(
      (value) => process.send!({ id, value }),
      (error: unknown) => process.send!({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
};

const lastError = (text: string) => text.match(/^.*Error.*$/m)?.[0] ?? text.trim().split("\n").at(-1) ?? "";

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
export const canPin = process.platform === "linux" && has("taskset");

/** The maximum number of open files per process, once its soft limit is raised. */
export const openFiles = (): number => {
  const limit = spawnSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).stdout?.trim();
  return limit === "unlimited" ? Infinity : Number(limit) || 0;
};

export const pinned = (core: number, command: readonly string[]): readonly string[] => {
  if (process.platform === "win32") return command;
  const onCore = canPin ? ["taskset", "-c", String(core), ...command] : command;
  return ["sh", "-c", 'ulimit -n "$(ulimit -Hn)" 2>/dev/null; exec "$@"', "sh", ...onCore];
};
