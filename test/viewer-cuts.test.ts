import http from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createAudience } from "../src/server/audience.ts";
import { createMetrics } from "../src/server/metrics.ts";
import { onStop } from "./serving.ts";

/** Connects one viewer, waits until `end` has closed its connection, and returns what the server noticed. */
const follow = async (log: Log, end: (client: http.ClientRequest) => void) => {
  const problems: unknown[] = [];
  let cuts = 0;
  const audience = createAudience({
    log,
    metrics: createMetrics(),
    waiting: () => ({ waiting: "agent", since: 0 }),
    onProblem: (error) => problems.push(error),
  });
  const closed = Promise.withResolvers<void>();
  const server = http.createServer((_, response) => {
    response.once("close", closed.resolve);
    audience.follow({
      run: "r",
      dialect: native,
      options: { link: () => "" },
      linkBase: "",
      log,
      after: { seq: 0, frame: 0 },
      headers: {},
      response,
      onCut: () => cuts++,
    });
  });
  onStop(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = http.get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", agent: false });
  client.on("error", () => {});
  client.on("response", (response) => {
    response.on("error", () => {});
    response.resume();
    end(client);
  });
  await closed.promise;
  // After every listener of the close.
  await new Promise((resolve) => setImmediate(resolve));
  return { cuts, problems };
};

const started = async (): Promise<Log> => {
  const log = memory();
  await log.append("r", [{ seq: 1, at: 1, event: { type: "run-start", protocol: 1, run: "r", name: "a" } }]);
  return log;
};

test("a client that closes its connection is reported", async () => {
  expect(await follow(await started(), (client) => client.destroy())).toEqual({ cuts: 1, problems: [] });
});

test("a read that fails is a problem of the server, not a client that left", async () => {
  const error = new Error("the log cannot be read");
  const log = { ...(await started()), read: () => Promise.reject(error) };
  expect(await follow(log, () => {})).toEqual({ cuts: 0, problems: [error] });
});
