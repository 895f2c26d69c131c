import { expect, test } from "vitest";
import type { EventOf } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { createRunner, type Runner } from "../../src/runner.ts";
import { askingAgent } from "../asking-agent.ts";
import { entriesOf, request, untilEnd, untilEvent } from "../running.ts";
import { eachLog } from "./each-log.ts";

const always = { allow: true, always: true };
const revoke = { revoke: true } as const;

eachLog("what a user has always allowed", (opened) => {
  test("lasts through takeovers, and is revoked once for every process, also for later owners", async () => {
    const agent = { name: "test", source: askingAgent("hi", "pay", "wait", "pay", "wait", "pay") };
    const join = (log: Log): Runner => createRunner({ log, findAgent: () => agent });
    const [one, two, three] = [join(opened.one), join(opened.other), join(opened.one)];
    const { run } = await one.start(request, agent);
    const asked = async (count: number): Promise<EventOf<"ask-start">> => {
      for (;;) {
        const events = (await entriesOf(opened.one, run)).map(({ event }) => event);
        const asks = events.filter((event) => event.type === "ask-start");
        if (asks[count - 1]) return asks[count - 1]!;
        await new Promise((tick) => setTimeout(tick, 2));
      }
    };
    const handOver = async (from: Runner, to: Runner) => {
      const { length } = await entriesOf(opened.one, run);
      await from.close({ handOverMs: 0 });
      await to.recover();
      await untilEvent(opened.one, run, (event) => event.type === "run-resume" && event.after >= length);
    };

    const pay = (await asked(1)).ask;
    for (const each of [one, two])
      await expect(each.answer(run, pay, revoke)).rejects.toMatchObject({ code: "not-revocable", status: 409 });
    expect(await two.answer(run, pay, always)).toBe("accepted");
    const wait = await asked(2);
    expect(wait.title).toBe("Allow wait?");

    await handOver(one, two);
    expect(await three.answer(run, wait.ask, { allow: true })).toBe("accepted");
    const again = await asked(3);
    expect(again.title).toBe("Allow wait?");

    for (const each of [two, three]) {
      await expect(each.answer(run, wait.ask, revoke)).rejects.toMatchObject({ code: "not-revocable" });
      expect(await each.answer(run, "nothing", revoke)).toBe("unknown");
    }
    expect(await Promise.all([three.answer(run, pay, revoke), three.answer(run, pay, revoke)])).toContain("accepted");
    expect(await two.answer(run, pay, revoke)).toBe("same");
    expect(await three.answer(run, pay, revoke)).toBe("same");

    await handOver(two, three);
    expect(await three.answer(run, again.ask, { allow: true })).toBe("accepted");
    const last = await asked(4);
    expect(last.title).toBe("Allow pay?");
    expect(await three.answer(run, last.ask, { allow: false })).toBe("accepted");

    const events = await untilEnd(opened.one, run);
    expect(events.filter((event) => event.type === "data" && event.name === "allowed")).toEqual([
      { type: "data", name: "allowed", id: pay, value: true },
      { type: "data", name: "allowed", id: pay, value: false },
    ]);
    const ends = events.filter((event) => event.type === "tool-end");
    expect(ends.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok", "denied"]);
    await expect(three.answer(run, pay, revoke)).rejects.toMatchObject({ code: "ask-closed", status: 409 });
    await three.close();
  });
});
