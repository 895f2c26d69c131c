import net from "node:net";
import { type Attack, type Report, rounds, send, type Strike } from "./attack.ts";
import { ADMIN, BOB, as, elsewhere } from "./users.ts";
import { type Target, readRun, startRun } from "./target.ts";

interface Body {
  /** The declared content length. */
  readonly length: number;
  /** How much of it is sent. */
  readonly sent: number;
}

/** Streams a body after its head until the connection closes or the signal aborts. Returns how much was sent. */
const pour = (report: Report, { port }: Target, { length, sent: most }: Body, signal: AbortSignal): Promise<number> =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    const piece = Buffer.alloc(64 * 1024, "x");
    let received = "";
    let sent = 0;
    const more = () => {
      for (let isRoom = true; isRoom && !socket.destroyed && sent < most; sent += piece.length)
        isRoom = socket.write(piece);
    };
    const stop = () => socket.destroy();
    signal.addEventListener("abort", stop, { once: true });
    const headers = {
      ...as(BOB),
      host: "localhost",
      "content-length": `${length}`,
      "content-type": "application/json",
    };
    socket.on("connect", () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /runs HTTP/1.1\r\n${lines.join("")}\r\n`);
      more();
    });
    socket.on("drain", more).on("error", () => {});
    socket.on("data", (bytes) => (received += bytes.toString("latin1")));
    socket.on("close", () => {
      signal.removeEventListener("abort", stop);
      const status = /^HTTP\/1.1 (\d+)/.exec(received)?.[1];
      if (status !== undefined) report.answered("POST /runs", Number(status), [413, 503], received);
      // A client that never stops sending may lose the response when the connection is reset.
      else report.answered("POST /runs", signal.aborted ? "open" : "closed", ["open", "closed"]);
      resolve(sent);
    });
  });

/** The server reads a little of a refused body so that the client gets the response. The kernel buffers more on both sides. */
const MAX_READ = 64 * 1024 * 1024;

export const hugeBodies: Attack = {
  name: "huge bodies: a terabyte, as fast as possible",
  prepare: (target) => async (report, signal) => {
    await rounds(signal, async () => {
      const never = new AbortController().signal;
      const sent = await pour(report, target, { length: 1e12, sent: Infinity }, never);
      report.expect(sent < MAX_READ, `${sent} bytes of a refused body were read`);
    });
    report.expect(report.answers.has("413"), "no response reports that the body is too large");
  },
};

const MAX_GROWTH = 400 * 1024 * 1024;

/** The memory of the server's process, as it reports it. */
export const resident = async ({ url }: Target): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`, { headers: as(ADMIN) })).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? Infinity);
};

export const slowBodies: Attack = {
  name: "slow bodies: 200 that never end",
  prepare: (target) => async (report, signal) => {
    const sent = Math.floor(3.9 * 1024 * 1024);
    const pouring = new AbortController();
    const all = Array.from({ length: 200 }, () =>
      pour(report, target, { length: sent + 100_000, sent }, pouring.signal),
    );
    // All of them would be 780 MB, so the oldest are dropped. Earlier attacks have left garbage, which does not count.
    const before = await resident(target);
    while (!signal.aborted || !report.answers.has("503")) {
      await new Promise((tick) => setTimeout(tick, 100));
      const bytes = await resident(target);
      report.expect(bytes < before + MAX_GROWTH, "unfinished bodies fill the memory");
    }
    const headers = { ...as(BOB), "content-type": "application/json", accept: "application/json" };
    const body = JSON.stringify({ agent: "talker", message: "x" });
    await send(report, `${target.url}/runs`, { method: "POST", headers, body }, [200, 202]);
    pouring.abort();
    await Promise.all(all);
  },
};

/** Six clients that repeatedly request something expensive, which is created beforehand. */
const reading =
  (agent: string, message: string, path: string, allowed: readonly number[]): Attack["prepare"] =>
  async ({ url }): Promise<Strike> => {
    const run = await startRun(url, BOB, agent, message);
    await readRun(url, BOB, run);
    return async (report, signal) => {
      const read = async () =>
        void (await send(report, `${url}/runs/${run}${path}`, { headers: as(BOB, elsewhere()) }, allowed, 60_000));
      await Promise.all(Array.from({ length: 6 }, () => rounds(signal, read)));
    };
  };

export const longRuns: Attack = {
  name: "long runs: the state of 100,000 entries, six concurrently",
  prepare: reading("talker", "word 100000", "", [200]),
};

export const longStreams: Attack = {
  name: "long runs: the stream of 100,000 entries, six concurrently",
  prepare: reading("talker", "word 100000", "/events", [200]),
};

export const exports: Attack = {
  name: "exports: 2 MB of text that resembles secrets, six concurrently",
  prepare: reading("talker", `${"eyJ-".repeat(512)} 1000`, "/export.html", [200, 429, 503]),
};

const field = (index: number) => `"password${index}":"hunter2hunter2"`;
const secretFields = [
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: `{${Array.from({ length: 20_000 }, (_, index) => field(index)).join(",")}}` },
];

export const exportedFields: Attack = {
  name: "exports: 20,000 fields with secrets, six concurrently",
  prepare: reading("player", JSON.stringify(secretFields), "/export.html", [200, 429, 503]),
};

const MAX_HOARDS = 20;

export const hoarding: Attack = {
  name: "storage: a run that stores endlessly",
  prepare:
    ({ url }) =>
    (report, signal) =>
      rounds(signal, async (count) => {
        // More of them reach the limit of bytes a day, which other attacks of this user need.
        if (count >= MAX_HOARDS) return new Promise((tick) => setTimeout(tick, 100));
        const run = await startRun(url, BOB, "hoarder", "x");
        const text = await readRun(url, BOB, run);
        const files = text.match(/"type":"file"/g)?.length ?? 0;
        report.expect(text.includes("too-large") && files <= 16, `a run stored ${files} files of 4 MB`);
        await fetch(`${url}/runs/${run}`, { method: "DELETE", headers: as(BOB) });
      }),
};
