import { Worker } from "node:worker_threads";

/** Somebody who only watches, in a thread of their own: what the attacker does there does not delay them. */
export interface Viewer {
  /** How late what was said since the last call has arrived, in milliseconds. */
  lateness(): Promise<{ readonly count: number; readonly p99: number }>;
  close(): Promise<void>;
}

const PROGRAM = `
  const { parentPort, workerData: { url, key } } = require("node:worker_threads");
  let late = [];
  parentPort.on("message", () => { parentPort.postMessage(late); late = []; });
  (async () => {
    const response = await fetch(url, { headers: { authorization: "Bearer " + key } });
    const decoder = new TextDecoder();
    for await (const bytes of response.body)
      for (const [, at] of decoder.decode(bytes, { stream: true }).matchAll(/"delta":" (\\d+)"/g)) late.push(Date.now() - Number(at));
  })().catch((error) => { throw error; });
`;

export const startViewer = async (url: string, run: string, key: string): Promise<Viewer> => {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { url: `${url}/runs/${run}/events`, key } });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  worker.once("error", (error) => broken.reject(error));
  const lateness = async () => {
    const answer = new Promise<number[]>((resolve) => worker.once("message", resolve));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.postMessage("");
    const late = (await Promise.race([answer, broken.promise])).toSorted((one, other) => one - other);
    return { count: late.length, p99: late[Math.min(late.length - 1, Math.floor(late.length * 0.99))] ?? 0 };
  };
  // What was said before there was a viewer is late by no fault of the server.
  while ((await lateness()).count === 0) await new Promise((tick) => setTimeout(tick, 50));
  await lateness();
  return { lateness, close: async () => void (await worker.terminate()) };
};
