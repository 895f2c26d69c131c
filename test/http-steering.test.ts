import { expect, test } from "vitest";
import type { Command } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { RunContext } from "../src/source.ts";
import type { RemoteConnection } from "../src/sources/http/connection.ts";
import { createRemote } from "../src/sources/http/remote.ts";
import { createSteering } from "../src/sources/http/steering.ts";

const never = new AbortController().signal;

test("after a takeover, an item that ended only here is cancelled once, when its start has been replayed", () => {
  const sent: Command[] = [];
  const remote = {
    ...createRemote({ dialect: native, url: "http://127.0.0.1:9" }, never),
    send: async (command: Command) => {
      sent.push(command);
      return new Response();
    },
  };
  const connection = { run: "up", isRuncast: true, isFollowed: true } as RemoteConnection;
  const context = { run: "here", signal: never, signalOf: () => never } as unknown as RunContext;
  const steering = createSteering(remote, connection, context, (id) => id);
  const endedHere = ["a", "b"].map((id) => ({ kind: "call" as const, id }));

  steering.observeAgain({ type: "tool-start", call: "a", name: "t" });
  // The replay pauses, so the end of `b` may follow its start there.
  steering.caughtUp(endedHere);
  expect(sent).toEqual([{ do: "cancel", run: "up", call: "a" }]);
  steering.observeAgain({ type: "tool-start", call: "b", name: "t" });
  steering.caughtUp(endedHere);
  steering.caughtUp(endedHere);
  expect(sent.slice(1)).toEqual([{ do: "cancel", run: "up", call: "b" }]);
});
