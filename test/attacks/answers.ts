import { type Attack, rounds, send } from "./attack.ts";
import { ADMIN, BOB, as } from "./users.ts";

const json = { "content-type": "application/json" };
const count = async (url: string, status: number): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { headers: as(ADMIN) })).text();
  const samples = text.matchAll(new RegExp(`^runcast_refusals_total\\{[^}]*status="${status}"[^}]*\\} (\\d+)`, "gm"));
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
};

export const wholeAnswers: Attack = {
  name: "answers: a single response of a dialect that only streams",
  prepare: ({ url }) => {
    const body = JSON.stringify({ model: "talker", messages: [{ role: "user", content: "hi" }], stream: false });
    const list = async () => await (await fetch(`${url}/runs`, { headers: as(BOB) })).text();
    return async (report, signal) => {
      const before = await list();
      await rounds(signal, async () => {
        const init = { method: "POST", headers: { ...as(BOB), ...json }, body };
        await send(report, `${url}/v1/chat/completions?dialect=forge`, init, [400]);
      });
      report.expect((await list()) === before, "a refused request started a run");
    };
  },
};

export const refusals: Attack = {
  name: "answers: refusals are counted for the operator",
  prepare:
    ({ url }) =>
    (report, signal) =>
      rounds(signal, async () => {
        const before = await count(url, 404);
        for (const path of ["/nothing", "/runs/none", "/runs/none/events"])
          await send(report, url + path, { headers: as(BOB) }, [404]);
        const counted = (await count(url, 404)) - before;
        report.expect(counted === 3, `${counted} of 3 refusals were counted`);
      }),
};
