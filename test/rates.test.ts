import type { IncomingMessage } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { clientAddress } from "../src/server/client-address.ts";
import { createRate } from "../src/server/rate.ts";
import { post, refusal, serve, silent, start } from "./serving.ts";

describe("a rate", () => {
  test("is restored one by one, by a clock that system time changes do not affect", () => {
    // The clock that it uses by itself. A change of the system time does not move `performance.now`.
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1_700_000_000_000 });
    try {
      const { take } = createRate(60, "starts", "limits.startsPerMinute");
      for (let count = 0; count < 60; count++) take("a");
      expect(() => take("a")).toThrow(/more than 60 starts a minute/);
      for (const step of [-3_600_000, 7_200_000]) {
        vi.setSystemTime(Date.now() + step);
        expect(() => take("a")).toThrow();
      }
      vi.advanceTimersByTime(1000);
      take("a");
      expect(() => take("a")).toThrow();
      take("b");
    } finally {
      vi.useRealTimers();
    }
  });

  test("uses bounded memory for any number of addresses", () => {
    let now = 0;
    const { take } = createRate(1, "starts", "s", () => now);
    for (let index = 0; index < 50_000; index++) {
      now += 0.001;
      take(`address-${index}`);
    }
    expect(() => take("address-49999")).toThrow();
    // The oldest ones are forgotten.
    take("address-0");
  });
});

test("an address is what the trusted proxies saw, never what the client sent, and an IPv6 network counts as one", () => {
  const from = (proxies: number, forwarded?: string, remote = "10.0.0.9") =>
    clientAddress(
      { headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress: remote } } as unknown as IncomingMessage,
      proxies,
    );
  expect(from(0, "1.1.1.1")).toBe("10.0.0.9");
  expect(from(1, "6.6.6.6, 1.1.1.1")).toBe("1.1.1.1");
  expect(from(2, "6.6.6.6, 1.1.1.1, 10.0.0.1")).toBe("1.1.1.1");
  expect(from(2, "1.1.1.1")).toBe("1.1.1.1");
  expect(from(1)).toBe("10.0.0.9");
  expect(from(0, undefined, "::ffff:127.0.0.1")).toBe("127.0.0.1");
  expect(from(0, undefined, "2001:db8:1:2:3:4:5:6")).toBe(from(0, undefined, "2001:db8:1:2:ffff::1"));
});

describe("over HTTP", () => {
  const key = "correct-horse";
  const bearer = { authorization: `Bearer ${key}` };

  test("starts, stops and answers, and reads have separate limits", async () => {
    const { url } = await serve(silent, { limits: { startsPerMinute: 1, controlsPerMinute: 2, readsPerMinute: 3 } });
    const run = await start(url);
    const started = await post(`${url}/runs`, { message: "x" });
    expect(Number(started.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refusal(started)).toMatchObject({ status: 429, code: "too-many-requests" });
    expect((await post(`${url}/runs/${run}/asks/none`, { allow: true })).status).toBe(404);
    expect((await post(`${url}/runs/${run}/cancel`, {})).status).toBe(200);
    expect((await post(`${url}/runs/${run}/cancel`, {})).status).toBe(429);
    for (let count = 0; count < 3; count++) expect((await fetch(`${url}/runs`)).status).toBe(200);
    expect(await refusal(await fetch(`${url}/runs`))).toMatchObject({ status: 429 });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("after wrong keys, even the right key is refused for a while, and other addresses are not affected", async () => {
    const { url } = await serve(silent, { key, trustProxy: true, limits: { wrongKeysPerMinute: 3 } });
    const ask = (address: string, headers: Record<string, string>) =>
      fetch(`${url}/runs`, { headers: { "x-forwarded-for": `6.6.6.6, ${address}`, ...headers } });
    for (let count = 0; count < 3; count++)
      expect((await ask("1.1.1.1", { authorization: `Bearer wrong-${count}` })).status).toBe(401);
    for (const headers of [{ authorization: "Bearer wrong" }, bearer])
      expect(await refusal(await ask("1.1.1.1", headers))).toMatchObject({ status: 429, code: "too-many-requests" });
    expect((await ask("2.2.2.2", bearer)).status).toBe(200);
    // Where the right key was used before, wrong guesses of others do not lock it out.
    for (let count = 0; count < 5; count++) await ask("2.2.2.2", { authorization: `Bearer wrong-${count}` });
    expect((await ask("2.2.2.2", { authorization: "Bearer wrong" })).status).toBe(429);
    expect((await ask("2.2.2.2", bearer)).status).toBe(200);
    expect((await fetch(`${url}/runs?token=rct_a.b.c`, { headers: { "x-forwarded-for": "3.3.3.3" } })).status).toBe(
      401,
    );
  });
});
