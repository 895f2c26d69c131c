import { expect, test } from "vitest";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { stateOf } from "../frameworks/play.ts";
import { entriesOf, play } from "../running.ts";

test("what an app attaches to its message is data, and later chunks add to it", async () => {
  const decode = aiSdk.decode();
  const sent = [
    { type: "start", messageId: "m", messageMetadata: { model: "owl-1" } },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Hello." },
    { type: "text-end", id: "t" },
    { type: "message-metadata", messageMetadata: { region: "north" } },
    { type: "finish", finishReason: "stop", messageMetadata: { "total/tokens": 12 } },
  ];
  const { events, log, run } = await play(async function* () {
    for (const chunk of sent) yield* decode({ data: JSON.stringify(chunk) });
  });
  const data = events.filter((event) => event.type === "data");
  expect(data).toEqual([
    { type: "data", name: "metadata", value: { model: "owl-1" } },
    { type: "data", name: "metadata", patch: [{ op: "add", path: "/region", value: "north" }] },
    { type: "data", name: "metadata", patch: [{ op: "add", path: "/total~1tokens", value: 12 }] },
  ]);
  const state = stateOf(await entriesOf(log, run));
  expect(state.data.get("metadata")).toEqual({ model: "owl-1", region: "north", "total/tokens": 12 });
  expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
});

test("metadata that an app repeats in every chunk is stored once", () => {
  const decode = aiSdk.decode();
  const messageMetadata = { model: "owl-1", tags: ["a"] };
  const chunks = Array.from({ length: 100 }, (_, index) => ({ type: "text-delta", id: "t", delta: `${index}` }));
  const sent = [
    { type: "start", messageId: "m", messageMetadata },
    { type: "text-start", id: "t" },
    ...chunks.flatMap((chunk) => [chunk, { type: "message-metadata", messageMetadata }]),
    { type: "finish", finishReason: "stop", messageMetadata: { ...messageMetadata, tags: ["a", "b"] } },
  ];
  const events = sent.flatMap((chunk) => decode({ data: JSON.stringify(chunk) }));
  expect(events.filter(({ type }) => type === "data")).toEqual([
    { type: "data", name: "metadata", value: messageMetadata },
    { type: "data", name: "metadata", patch: [{ op: "add", path: "/tags", value: ["a", "b"] }] },
  ]);
});
