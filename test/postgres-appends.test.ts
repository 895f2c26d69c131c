import { expect, test } from "vitest";
import { createKnownLeases, createMarks, createTails } from "../src/log.ts";
import { createAppends } from "../src/logs/postgres/appends.ts";
import { type PostgresConnection, Unreachable } from "../src/logs/postgres/connection.ts";
import { textEntries } from "./contracts/run-entries.ts";

/** What one statement answers. `items`: the appends that are checked separately. */
type Answer = (items: readonly { readonly run: string; readonly isRetry: boolean }[]) => object;

/** Appends to a Postgres that gives these answers, in order, and the runs of each statement. */
const appendsTo = (...answers: Answer[]) => {
  const sent: string[][] = [];
  const query = async (text: string, values: unknown) => {
    const [first] = (values as (isRetry: boolean) => string[])(false);
    const items = text.includes(".extend(") ? [] : JSON.parse(first!);
    sent.push(items.length > 0 ? items.map(({ run }: { run: string }) => run) : first!.split(","));
    return [answers.shift()!(items)];
  };
  const appends = createAppends({
    connection: { query } as unknown as PostgresConnection,
    ...{ schema: "runcast", channel: "c", message: String, wake: () => {} },
    marks: createMarks(),
    tails: createTails(createKnownLeases(() => 0)),
  });
  const append = (...runs: string[]) =>
    Promise.allSettled(runs.map((run) => appends.append(run, textEntries(2, 1), { owner: "ada", epoch: 1 })));
  return { append, appends, sent };
};

const unreachable = () => {
  throw new Unreachable("cannot reach Postgres");
};

test("appends that have waited for an unreachable server fail together", async () => {
  const { append, appends, sent } = appendsTo(() => {
    void append("c");
    return unreachable();
  });
  const results = await append("a", "b");
  await appends.idle();
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(sent).toEqual([["a", "b"]]);
});

test("an append that is stored counts as stored, even if the reason for another one's refusal cannot be read", async () => {
  const { append, sent } = appendsTo(
    () => ({ places: ["1"] }),
    () => {
      throw new Error("canceling statement due to statement timeout");
    },
    (items) => ({ results: items.map(({ isRetry }) => ({ status: isRetry ? "stored" : "conflict", seq: 2 })) }),
    () => ({ results: [{ status: "fenced", owner: "bob", epoch: 2 }] }),
  );
  const results = await append("a", "b");
  expect(results).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { name: "LogFenced" } }]);
  expect(sent).toEqual([["a", "b"], ["b"], ["a"], ["b"]]);
});
