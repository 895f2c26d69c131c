import { expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { isPermission } from "../src/protocol.ts";
import { askingAgent } from "./asking-agent.ts";
import { entriesOf, request, setUp, untilEnd } from "./running.ts";

const RUN = "run";
const agent = () => ({ name: "test", source: askingAgent("hi", "pay", "pay", "wait", "pay") });

/**
 * Continues the run from these entries. The user always allows the first payment, and revokes that before allowing
 * anything else.
 */
const play = async (written: readonly Entry[]): Promise<readonly Entry[]> => {
  const log = memory();
  if (written.length > 0) await log.append(RUN, written);
  const { runner } = setUp({ log, findAgent: agent });
  if (written.length > 0) await runner.recover();
  else await runner.start({ ...request, run: RUN }, agent());
  while ((await log.info(RUN))?.endedAt === undefined) {
    const events = (await entriesOf(log, RUN)).map(({ event }) => event);
    const asks = events.filter((event) => event.type === "ask-start");
    const open = asks.find(({ ask }) => !events.some((event) => event.type === "ask-end" && event.ask === ask));
    if (open) {
      const given = events.find(isPermission);
      if (given) await runner.answer(RUN, given.id, { revoke: true });
      await runner.answer(RUN, open.ask, { allow: true, ...(open === asks[0] && { always: true }) });
    }
    await new Promise((tick) => setImmediate(tick));
  }
  await untilEnd(log, RUN);
  return await entriesOf(log, RUN);
};

const shapeOf = (event: Event): string[] => {
  if (event.type === "ask-start") return [event.title ?? ""];
  return isPermission(event) ? [event.value ? "always" : "revoked"] : [];
};

test("wherever a run is cut, a permission is written once, and what is revoked stays revoked", async () => {
  const whole = await play([]);
  expect(whole.flatMap(({ event }) => shapeOf(event))).toEqual([
    "Allow pay?",
    "always",
    "Allow wait?",
    "revoked",
    "Allow pay?",
  ]);
  for (let length = 1; length < whole.length; length++) {
    const events = (await play(whole.slice(0, length))).map(({ event }) => event);
    const at = `cut after ${length}`;
    expect(events.at(-1), at).toMatchObject({ type: "run-end", outcome: "done" });
    const given = events.filter(isPermission);
    expect(["", "true", "true false"], at).toContain(given.map(({ value }) => value).join(" "));
    const revokedAt = events.findIndex((event) => isPermission(event) && event.value === false);
    if (revokedAt < 0) continue;
    const answered = new Set(
      events.flatMap((event) => (event.type === "ask-start" && event.call !== undefined ? [event.call] : [])),
    );
    for (const event of events.slice(revokedAt))
      if (event.type === "tool-execute") expect(answered.has(event.call), `${at}: ${event.call}`).toBe(true);
  }
});
