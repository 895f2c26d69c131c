import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { test } from "vitest";
import { describeLogs } from "../contracts/each-log.ts";
import type { LogVariant } from "../contracts/log-variants.ts";
import { emptyModel, type Real } from "../log-model/model.ts";
import { fenced, heartbeat, orphans, pass, release, send, takeOver } from "../log-model/owners.ts";
import { addRecord, deleteRecord, listRecords, putRecord } from "../log-model/records.ts";
import { append, conflict, drop, look, putFile, read, reopen, retain } from "../log-model/runs.ts";

const run = fc.constantFrom("a", "b", "cc", "ddd", "e-1", "f_2");
const small = fc.integer({ min: 0, max: 12 });
const owner = fc.constantFrom("ada", "bob", "cy");
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 1) => fc.option(value, { nil: undefined, freq });

const runOperations = () => {
  const several = fc.uniqueArray(run, { minLength: 1, maxLength: 6 });
  const count = fc.oneof(small, fc.constant(700));
  const end = maybe(fc.integer({ min: 8000, max: 10_000 }), 3);
  const one = fc.tuple(several, count, fc.constantFrom(0, 10, 3000), end, maybe(owner));
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  return [
    one.map((parts) => append(...parts)),
    one.map((parts) => append(...parts)),
    fc.tuple(run, fc.integer({ min: -3, max: 3 })).map((parts) => conflict(...parts)),
    fc.tuple(run, share, fc.integer({ min: 1, max: 600 })).map((parts) => read(...parts)),
    fc.tuple(maybe(run), fc.boolean()).map((parts) => look(...parts)),
    fc.tuple(run, fc.string()).map((parts) => putFile(...parts)),
    run.map(drop),
    fc.tuple(maybe(fc.nat(3)), maybe(fc.nat(3000))).map((parts) => retain(...parts)),
  ];
};

const ownerOperations = () => [
  fc.tuple(owner, fc.constantFrom(0, 1, 3, 5)).map((parts) => heartbeat(...parts)),
  fc.constant(pass()),
  fc.tuple(run, owner).map((parts) => takeOver(...parts)),
  fc.tuple(run, fc.boolean()).map((parts) => release(...parts)),
  fc.tuple(run, fc.integer({ min: -2, max: 2 }), maybe(owner)).map((parts) => fenced(...parts)),
  fc.constant(orphans()),
  fc
    .tuple(run, fc.array(fc.constantFrom("1", "2", "3"), { minLength: 1, maxLength: 3 }))
    .map((parts) => send(...parts)),
];

const recordOperations = () => {
  const id = fc.constantFrom("a", "a/1", "a/2", "b");
  const lives = fc.constantFrom(0, 1, 3);
  return [
    fc.tuple(id, small, lives, fc.boolean()).map((parts) => putRecord(...parts)),
    fc.tuple(id, fc.integer({ min: -9, max: 9 }), lives).map((parts) => addRecord(...parts)),
    id.map(deleteRecord),
    fc
      .tuple(fc.constantFrom("", "a", "a/"), fc.integer({ min: 1, max: 4 }), maybe(id))
      .map((parts) => listRecords(...parts)),
  ];
};

const operations = ({ durable }: LogVariant) => [
  ...runOperations(),
  ...ownerOperations(),
  ...recordOperations(),
  ...(durable ? [fc.constant(reopen())] : []),
];

describeLogs("a log", (_, variant) => {
  test("behaves like the model for any sequence of calls", { timeout: 600_000 }, async () => {
    const sequences = fc.commands(operations(variant), { maxCommands: 60, size: "+1" });
    const property = fc.asyncProperty(sequences, async (commands) => {
      const directory = await mkdtemp(path.join(tmpdir(), "runcast-log-"));
      const real: Real = {
        variant,
        log: await variant.open(directory),
        reopen: async () => {
          await real.log.close();
          real.log = await variant.open(directory);
        },
      };
      try {
        await fc.asyncModelRun(() => ({ model: emptyModel(), real }), commands);
      } finally {
        await real.log.close();
        await rm(directory, { recursive: true, force: true });
      }
    });
    await fc.assert(property, { numRuns: process.env.RUNCAST_LONG ? 2000 : 25 });
  });
});
