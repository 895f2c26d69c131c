import { type Attack, rounds, send } from "./attack.ts";
import { ALICE, BOB, WORDS, as, elsewhere } from "./users.ts";
import { readRun, startRun } from "./target.ts";

const json = { "content-type": "application/json" };

/** Every request about a run, and about the server itself. */
export const ofRun = (run: string): readonly (readonly [method: string, path: string])[] => [
  ["GET", `/runs/${run}`],
  ["GET", `/runs/${run}/events`],
  ["GET", `/runs/${run}/events?from=snapshot`],
  ["GET", `/runs/${run}/events?dialect=open-webui`],
  ["GET", `/runs/${run}/export.jsonl`],
  ["GET", `/runs/${run}/export.html`],
  ["GET", `/runs/${run}/files/x`],
  ["GET", `/runs/${run}/links`],
  ["GET", `/runs/${run}/access`],
  ["POST", `/runs/${run}/links`],
  ["POST", `/runs/${run}/cancel`],
  ["POST", `/runs/${run}/asks/a`],
  ["DELETE", `/runs/${run}`],
  ["GET", `/v1/responses/resp_${run}`],
];
const OF_ADMIN = [
  ["GET", "/admin/audit"],
  ["GET", "/admin/keys"],
  ["POST", "/admin/keys"],
  ["POST", "/admin/backup"],
  ["DELETE", "/admin/keys/alice"],
  ["DELETE", "/users/alice"],
] as const;
const bodyOf = (method: string) => (method === "POST" ? { body: '{"allow":true}', headers: json } : { headers: {} });

export const anotherUser: Attack = {
  name: "access: another user's key",
  prepare:
    ({ url, run }) =>
    (report, signal) =>
      rounds(signal, async () => {
        const bob = as(BOB);
        for (const [method, path] of [...ofRun(run), ...OF_ADMIN]) {
          const { headers, ...rest } = bodyOf(method);
          await send(report, url + path, { method, headers: { ...bob, ...headers }, ...rest }, [403, 404]);
        }
      }),
};

export const withoutKey: Attack = {
  name: "access: no key, and forged links",
  prepare:
    ({ url, run }) =>
    (report, signal) =>
      rounds(signal, async () => {
        for (const [method, path] of [...ofRun(run), ...OF_ADMIN]) {
          const { headers, ...rest } = bodyOf(method);
          await send(report, url + path, { method, headers: { ...headers, ...elsewhere() }, ...rest }, [401]);
          const forged = `${path.includes("?") ? "&" : "?"}token=rct_${run}.chat.${"A".repeat(43)}`;
          await send(report, url + path + forged, { method, headers: { ...headers, ...elsewhere() }, ...rest }, [401]);
        }
      }),
};

export const claims: Attack = {
  name: "access: impersonating Alice, and reusing her ids",
  prepare: async ({ url, run }) => {
    const headers = { ...as(ALICE), ...json, accept: "application/json" };
    const body = JSON.stringify({ agent: "talker", thread: "a-thread-of-alice", message: WORDS });
    const inThread = ((await (await fetch(`${url}/runs`, { method: "POST", headers, body })).json()) as { run: string })
      .run;
    await readRun(url, ALICE, inThread);
    const start = (text: object) => ({ method: "POST", headers: { ...as(BOB), ...json }, body: JSON.stringify(text) });
    const alice = { "x-openwebui-user-id": "alice", "x-openwebui-user-email": "alice", "x-forwarded-user": "alice" };
    return (report, signal) =>
      rounds(signal, async () => {
        // Her ids are taken, also for other users.
        for (const id of [run, inThread])
          await send(report, `${url}/runs`, start({ agent: "talker", message: "x", run: id }), [404, 409]);
        const responses = { model: "talker", input: "x", user: "alice", previous_response_id: `resp_${inThread}` };
        await send(report, `${url}/v1/responses`, start(responses), [404]);
        // Regardless of the user he claims to be, he starts and sees only his own runs.
        const claimed = { agent: "talker", message: "x", user: { id: "alice" }, thread: "a-thread-of-alice" };
        await send(report, `${url}/runs`, start(claimed), [200, 403]);
        for (const query of ["", "?user=alice", "?thread=a-thread-of-alice"]) {
          const response = await fetch(`${url}/runs${query}`, { headers: { ...as(BOB), ...alice } });
          const text = await response.text();
          report.answered(`GET /runs${query}`, response.status, [200, 403], text);
          report.expect(!text.includes(run) && !text.includes(inThread), `GET /runs${query} lists runs of Alice`);
        }
        await send(report, `${url}/threads/a-thread-of-alice`, { method: "DELETE", headers: as(BOB) }, [200, 404]);
        const kept = await fetch(`${url}/runs/${inThread}`, { headers: as(ALICE) });
        report.expect(kept.status === 200, "a run of Alice was deleted");
        await kept.body?.cancel();
      });
  },
};

export const shareLinks: Attack = {
  name: "share links: renewed, extended, used after they expire",
  prepare: async ({ url }) => {
    const run = await startRun(url, BOB, "asker", "hello");
    const other = await startRun(url, BOB, "asker", "hello");
    const share = async (body: object) => {
      const init = { method: "POST", headers: { ...as(BOB), ...json }, body: JSON.stringify(body) };
      return (await (await fetch(`${url}/runs/${run}/links`, init)).json()) as { id: string; token: string };
    };
    const link = await share({ expiresInSeconds: 600 });
    return (report, signal) =>
      rounds(signal, async () => {
        const token = `token=${link.token}`;
        const post = () => ({ method: "POST", headers: { ...json, ...elsewhere() }, body: '{"allow":true}' });
        const get = () => ({ headers: elsewhere() });
        await send(report, `${url}/runs/${run}?${token}`, get(), [200]);
        for (const what of ["links", "cancel", "asks/ok"])
          await send(report, `${url}/runs/${run}/${what}?${token}`, post(), [403]);
        await send(report, `${url}/runs/${run}?${token}`, { ...get(), method: "DELETE" }, [403]);
        for (const path of [`/runs/${run}/links`, `/runs/${other}`, `/runs/${other}/events`, "/runs", "/agents"])
          await send(report, `${url}${path}?${token}`, get(), [403]);
        const stream = await fetch(`${url}/runs/${run}/events?dialect=open-webui&${token}`, get());
        const { value } = await stream.body!.getReader().read();
        const tokens =
          Buffer.from(value ?? [])
            .toString()
            .match(/rct_[\w.-]+/g) ?? [];
        report.expect(
          tokens.every((one) => one === link.token),
          "a stream contains a link other than its own",
        );
        const short = await share({ expiresInSeconds: 600 });
        await fetch(`${url}/runs/${run}/links/${short.id}`, { method: "DELETE", headers: as(BOB) });
        await send(report, `${url}/runs/${run}?token=${short.token}`, get(), [401]);
      });
  },
};

/** The number of requests per minute that one address may make, and the responses above that. */
const WRONG_KEYS = 30;

export const guesses: Attack = {
  name: "guesses: wrong keys from one address",
  prepare: ({ url }) => {
    const address = elsewhere();
    return async (report, signal) => {
      const began = performance.now();
      await rounds(signal, async (count) => {
        for (let index = 0; index < 50; index += 1)
          await send(report, `${url}/runs`, { headers: as(`guess-${count}-${index}`, address) }, [401, 429]);
      });
      const most = WRONG_KEYS + ((performance.now() - began) / 60_000) * WRONG_KEYS + 1;
      const tried = report.answers.get("401") ?? 0;
      report.expect(tried > 0 && tried <= most, `${tried} keys could be tried, which is more than ${most}`);
      await send(report, `${url}/runs`, { headers: as(BOB, address) }, [429]);
    };
  },
};

export const floodOfStarts: Attack = {
  name: "starts: as many as possible from one address, where Stop still works",
  prepare: async ({ url }) => {
    const address = elsewhere();
    const run = await startRun(url, BOB, "asker", "hello");
    return async (report, signal) => {
      const headers = { ...as(BOB, address), ...json, accept: "application/json" };
      const body = JSON.stringify({ agent: "talker", message: "x" });
      await rounds(signal, async () => {
        await Promise.all(
          Array.from({ length: 10 }, () =>
            send(report, `${url}/runs`, { method: "POST", headers, body }, [200, 202, 429]),
          ),
        );
      });
      const start = () => send(report, `${url}/runs`, { method: "POST", headers, body }, [200, 202, 429]);
      while (!report.answers.has("429")) await start();
      // Some starts are allowed again in the meantime. They use up the allowance.
      const stop = () => send(report, `${url}/runs/${run}/cancel`, { method: "POST", headers, body: "{}" }, [200]);
      await Promise.all([...Array.from({ length: 30 }, start), ...Array.from({ length: 5 }, stop)]);
    };
  },
};
