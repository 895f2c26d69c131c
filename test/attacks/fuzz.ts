import { randomInt } from "node:crypto";
import { type Attack, send } from "./attack.ts";
import { BOB } from "./target.ts";

const BODIES = [
  "",
  "{",
  "null",
  "[]",
  '"x"',
  "{}",
  '{"message":1}',
  '{"message":"x","run":"../x"}',
  '{"messages":[{"role":"user","content":[{"type":"file","data":"%%%"}]}]}',
  `{"message":${"[".repeat(2000)}${"]".repeat(2000)}}`,
  '{"__proto__":{"rights":["admin"]},"message":"x"}',
  '{"model":"talker","messages":[{"role":"user","content":"hi"}],"stream":"maybe"}',
];
const VALUES = ["x", "..", "%00", "a".repeat(300), "🙂", "rct_a.b.c", "__proto__", "1e999", "-1"];
const TYPES = ["application/json", "text/plain", "application/json; charset=utf-16", "multipart/form-data; boundary=x"];
const one = <Value>(list: readonly Value[]): Value => list[randomInt(list.length)]!;

/** Every endpoint that the server tells of, with everything that does not belong there. None of it is the server's fault. */
export const fuzz: Attack = {
  name: "fuzz: nonsense for every endpoint",
  run: async ({ url }, report, signal) => {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method })),
    );
    const allowed = Array.from({ length: 300 }, (_, index) => 200 + index).filter((status) => status < 500);
    while (!signal.aborted)
      for (const { path, method } of all) {
        if (signal.aborted) return;
        const filled = path.replaceAll(/\{[^}]*\}/g, () => encodeURIComponent(one(VALUES)));
        const query = `?${one(["after", "from", "dialect", "style", "limit", "before"])}=${encodeURIComponent(one(VALUES))}`;
        const timeout = AbortSignal.any([signal, AbortSignal.timeout(1000)]);
        const headers = {
          authorization: `Bearer ${BOB}`,
          "content-type": one(TYPES),
          "last-event-id": one(VALUES).replace("🙂", "x"),
        };
        const hasBody = /^(?:post|put|patch)$/i.test(method);
        const init = { method: method.toUpperCase(), headers, signal: timeout, ...(hasBody && { body: one(BODIES) }) };
        await send(report, url + filled + query, init, [...allowed, 501, 503, "closed"]);
      }
  },
};
