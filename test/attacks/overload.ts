import net from "node:net";
import { type Attack, type Report, send } from "./attack.ts";
import { BOB, type Target, startRun } from "./target.ts";

const bob = { authorization: `Bearer ${BOB}` };

/** Pours bytes after a request's head until the connection closes or time is over. */
const pour = (report: Report, { port }: Target, length: number, most: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    const piece = Buffer.alloc(64 * 1024, "x");
    let received = "";
    let sent = 0;
    const more = () => {
      while (!socket.destroyed && sent < most && socket.write(piece)) sent += piece.length;
    };
    const stop = () => socket.destroy();
    signal.addEventListener("abort", stop, { once: true });
    socket.on("connect", () => {
      const head = [
        "POST /runs HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${BOB}`,
        `Content-Length: ${length}`,
      ];
      socket.write(`${head.join("\r\n")}\r\nContent-Type: application/json\r\n\r\n`);
      more();
    });
    socket.on("drain", more).on("error", () => {});
    socket.on("data", (bytes) => (received += bytes.toString("latin1")));
    socket.on("close", () => {
      signal.removeEventListener("abort", stop);
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(received)?.[1] ?? 0);
      report.answered("POST /runs", status || "closed", [413, 503, "closed"]);
      if (sent > 256 * 1024 * 1024) report.wrong.add(`${sent} bytes of a refused body were read`);
      resolve();
    });
  });

export const hugeBodies: Attack = {
  name: "huge bodies: a terabyte, as fast as it goes",
  run: async (target, report, signal) => {
    while (!signal.aborted) await pour(report, target, 1e12, Infinity, signal);
  },
};

export const slowBodies: Attack = {
  name: "slow bodies: 200 that never end",
  run: async (target, report, signal) => {
    const most = 3.9 * 1024 * 1024;
    await Promise.all(Array.from({ length: 200 }, () => pour(report, target, most + 100_000, most, signal)));
    const metrics = await (await fetch(`${target.url}/metrics`, { headers: bob })).text();
    const resident = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? Infinity);
    if (resident > 700 * 1024 * 1024) report.wrong.add(`the server takes ${resident} bytes`);
  },
};

/** Runs that cost much to read, each made once. */
const readAgain =
  (message: string, path: string, allowed: readonly (number | "closed")[]): Attack["run"] =>
  async ({ url }, report, signal) => {
    const run = await startRun(url, BOB, { agent: "talker", message });
    await (await fetch(`${url}/runs/${run}/events`, { headers: bob })).text();
    const reader = async () => {
      while (!signal.aborted) await send(report, `${url}/runs/${run}${path}`, { headers: bob }, allowed);
    };
    await Promise.all(Array.from({ length: 6 }, reader));
  };

export const longRuns: Attack = {
  name: "long runs: the state of 100,000 entries, six at once",
  run: readAgain("word 100000", "", [200]),
};

export const exports: Attack = {
  name: "exports: a run full of what looks like secrets",
  run: readAgain(`${"eyJ-".repeat(500)} 1000`, "/export.html", [200, 429, 501, 503]),
};
