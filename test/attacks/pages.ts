import http from "node:http";
import { ofRun } from "./access.ts";
import { type Attack, type Report, rounds, send } from "./attack.ts";
import { ADMIN, BOB, as, elsewhere } from "./users.ts";
import type { Target } from "./target.ts";

const bodyOf = (method: string) => (method === "POST" ? { body: '{"message":"x","allow":true}' } : {});

/** Origins that no setting allows: other sites, frames without an origin, and names that resemble this machine's. */
const FOREIGN = ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example"];

export const foreignPages: Attack = {
  name: "CSRF: requests that a browser sends for other sites",
  prepare:
    ({ url, run }) =>
    (report, signal) =>
      rounds(signal, async () => {
        for (const [method, path] of [...ofRun(run), ["POST", "/runs"], ["GET", "/agents"]] as const)
          for (const origin of FOREIGN) {
            // Even with a stored key, the site is refused, not the user.
            const headers = { ...as(ADMIN), origin, "content-type": "text/plain" };
            await send(report, url + path, { method, headers, ...bodyOf(method) }, [403]);
          }
      }),
};

export const localPages: Attack = {
  name: "CSRF: a server without keys, and pages on other local ports",
  prepare: async ({ unkeyed }) => {
    const init = { method: "POST", headers: { "content-type": "application/json", accept: "application/json" } };
    const started = await fetch(`${unkeyed}/runs`, { ...init, body: '{"agent":"asker","message":"x"}' });
    const { run } = (await started.json()) as { run: string };
    const ways = [["POST", "/runs"], ["GET", "/runs"], ["POST", `/runs/${run}/asks/ok`], ...ofRun(run)] as const;
    return (report, signal) =>
      rounds(signal, async () => {
        for (const [method, path] of ways)
          for (const origin of ["http://localhost:3000", "http://127.0.0.1:1", ...FOREIGN]) {
            const headers = { origin, "content-type": method === "POST" ? "text/plain" : "application/json" };
            const text = await send(report, unkeyed + path, { method, headers, ...bodyOf(method) }, [403]);
            report.expect(text.includes("--origin"), `${method} ${path}: the refusal does not name --origin`);
          }
        const log = await (await fetch(`${unkeyed}/runs/${run}/export.jsonl`)).text();
        report.expect(!log.includes("ask-end"), "a foreign page answered an ask");
      });
  },
};

/** Paths and hosts that no real client sends. */
const sendRaw = (report: Report, { port }: Target, path: string, host: string, allowed: readonly number[]) =>
  new Promise<void>((resolve) => {
    const headers = { ...as(BOB), host };
    const request = http.get({ port, path, host: "127.0.0.1", headers, agent: false }, (response) => {
      let body = "";
      response.on("data", (text) => (body += text));
      response.on("close", () => {
        report.expect(!/"name": "runcast"|root:x:0/.test(body), `${path}: it gives away a file of the machine`);
        report.answered(`${host}${path}`, response.statusCode ?? 0, allowed, body);
        resolve();
      });
    });
    request.on("error", () => resolve(report.answered(path, "closed", [])));
  });

export const hosts: Attack = {
  name: "hosts: names that resolve here after DNS rebinding",
  prepare: (target) => (report, signal) =>
    rounds(signal, async () => {
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::2]"])
        for (const path of ["/runs", "/", "/health", "/assets/x"]) await sendRaw(report, target, path, host, [403]);
    }),
};

const up = (slash: string, dots = "..") => `${dots}${slash}`.repeat(8);
const OUTSIDE = [
  ...["/", "%2f", "\\", "%5c", "//"].flatMap((slash) => [`${up(slash)}etc/passwd`, `${up(slash, "%2e%2e")}etc/passwd`]),
  "../../package.json",
  "..%2f..%2fpackage.json",
  "%252e%252e%252f%252e%252e%252fpackage.json",
  "..%c0%af..%c0%afpackage.json",
  "/etc/passwd",
  "%00/etc/passwd",
];

export const traversal: Attack = {
  name: "traversal: paths that leave the directory",
  prepare: (target) => (report, signal) =>
    rounds(signal, async () => {
      for (const place of ["/assets/", "/", `/runs/${target.run}/files/`, "/runs/", "/key/x/", "/users/"])
        for (const outside of OUTSIDE)
          await sendRaw(report, target, place + outside, "localhost", [400, 401, 404, 405]);
    }),
};

const PRIVATE = [
  "127.0.0.1:1",
  "[::1]:1",
  "169.254.169.254",
  "10.0.0.1",
  "192.168.0.1",
  "0x7f000001",
  "2130706433",
  "0177.0.0.1",
  "localhost:1",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[fd00::1]",
  "0.0.0.0",
];

export const privateAddresses: Attack = {
  name: "SSRF: servers that a request names",
  prepare: ({ url, mcp }) => {
    // The target exists and would respond.
    const places = [new URL(mcp).host, ...PRIVATE];
    return (report, signal) =>
      rounds(signal, async () => {
        for (const place of places) {
          const headers = { ...as(BOB, elsewhere()), "content-type": "application/json" };
          const body = JSON.stringify({ url: `http://${place}/mcp` });
          await send(report, `${url}/servers/check`, { method: "POST", headers, body }, [422]);
        }
      });
  },
};
