import http from "node:http";
import { type Attack, type Report, send } from "./attack.ts";
import { BOB, type Target } from "./target.ts";

const bob = { authorization: `Bearer ${BOB}` };
const json = { "content-type": "application/json" };

/** Everything that can be asked of a run, and of the server itself. */
const ofRun = (run: string): readonly (readonly [method: string, path: string])[] => [
  ["GET", `/runs/${run}`],
  ["GET", `/runs/${run}/events`],
  ["GET", `/runs/${run}/events?from=snapshot`],
  ["GET", `/runs/${run}/export.jsonl`],
  ["GET", `/runs/${run}/export.html`],
  ["GET", `/runs/${run}/files/x`],
  ["GET", `/runs/${run}/links`],
  ["GET", `/runs/${run}/access`],
  ["POST", `/runs/${run}/links`],
  ["POST", `/runs/${run}/cancel`],
  ["POST", `/runs/${run}/asks/a`],
  ["DELETE", `/runs/${run}`],
  ["DELETE", "/users/alice"],
  ["GET", `/v1/responses/${run}`],
];
const ofAdmin = [
  ["GET", "/admin/audit"],
  ["GET", "/admin/keys"],
  ["POST", "/admin/keys"],
  ["POST", "/admin/backup"],
  ["DELETE", "/admin/keys/alice"],
] as const;
const bodyOf = (method: string) => (method === "POST" ? { body: '{"allow":true}' } : {});

export const access: Attack = {
  name: "access: another user's key, a forged link, no key",
  run: async ({ url, run }, report, signal) => {
    while (!signal.aborted) {
      for (const [method, path] of [...ofRun(run), ...ofAdmin]) {
        const mark = path.includes("?") ? "&" : "?";
        await send(report, url + path, { method, headers: { ...bob, ...json }, ...bodyOf(method) }, [403, 404]);
        await send(report, url + path, { method, headers: json, ...bodyOf(method) }, [401, 429]);
        await send(report, `${url}${path}${mark}token=rct_${run}.chat.${"A".repeat(43)}`, { method }, [401, 429]);
      }
      await send(report, `${url}/runs`, { headers: bob }, [200]);
      const claimed = JSON.stringify({
        model: "talker",
        input: "x",
        user: "alice",
        previous_response_id: `resp_${run}`,
      });
      await send(report, `${url}/v1/responses`, { method: "POST", headers: { ...bob, ...json }, body: claimed }, [404]);
    }
  },
};

export const guesses: Attack = {
  name: "guesses: thousands of wrong keys",
  run: async ({ url }, report, signal) => {
    for (let count = 0; !signal.aborted; count += 1)
      await send(report, `${url}/runs`, { headers: { authorization: `Bearer guess-number-${count}` } }, [401, 429]);
  },
};

export const foreignPages: Attack = {
  name: "foreign pages: requests that a browser sends for them",
  run: async ({ url, run }, report, signal) => {
    while (!signal.aborted)
      for (const [method, path] of ofRun(run))
        for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"])
          await send(
            report,
            url + path,
            { method, headers: { ...bob, origin, "content-type": "text/plain" }, ...bodyOf(method) },
            [403],
          );
  },
};

/** A path and a host as no client would send them. */
const sendRaw = (report: Report, { port }: Target, path: string, host: string, allowed: readonly number[]) =>
  new Promise<void>((resolve) => {
    const options = { port, path, host: "127.0.0.1", headers: { ...bob, host }, agent: false };
    const request = http.get(options, (response) => {
      let body = "";
      response.on("data", (text) => (body += text));
      response.on("close", () => {
        if (body.includes('"name": "runcast"')) report.wrong.add(`${path}: it tells a file of the server`);
        report.answered(`${host}${path}`, response.statusCode ?? 0, allowed, body);
        resolve();
      });
    });
    request.on("error", () => resolve(report.answered(path, "closed", ["closed"])));
  });

export const hosts: Attack = {
  name: "hosts: names that lead here by DNS rebinding",
  run: async (target, report, signal) => {
    while (!signal.aborted)
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::2]"])
        for (const path of ["/runs", "/", "/health"]) await sendRaw(report, target, path, host, [403]);
  },
};

const OUTSIDE = ["../../package.json", "..%2f..%2fpackage.json", "%2e%2e/%2e%2e/package.json", "..\\..\\package.json"];

export const traversal: Attack = {
  name: "traversal: paths that lead out of where files are",
  run: async (target, report, signal) => {
    while (!signal.aborted)
      for (const place of ["/assets/", "/", `/runs/${target.run}/files/`, "/runs/", "/key/x/"])
        for (const outside of OUTSIDE) await sendRaw(report, target, place + outside, "localhost", [400, 401, 404]);
  },
};

const PRIVATE = [
  "127.0.0.1:1",
  "[::1]:1",
  "169.254.169.254",
  "10.0.0.1",
  "0x7f000001",
  "localhost:1",
  "[::ffff:7f00:1]",
];

export const privateAddresses: Attack = {
  name: "private addresses: servers that a request names",
  run: async ({ url }, report, signal) => {
    while (!signal.aborted)
      for (const host of PRIVATE) {
        const init = {
          method: "POST",
          headers: { ...bob, ...json },
          body: JSON.stringify({ url: `http://${host}/mcp` }),
        };
        await send(report, `${url}/servers/check`, init, [422]);
      }
  },
};
