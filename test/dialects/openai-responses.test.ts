import { APIError, BadRequestError, NotFoundError } from "openai";
import type { Response, ResponseInputItem, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { until } from "../serving.ts";
import {
  asksOf,
  echo,
  endOf,
  failing,
  large,
  openai,
  stories,
  tools as chatTools,
  twoClientCalls,
  waiting,
  wordsOf,
} from "./openai-client.ts";
import { endingOf } from "./ending.ts";

const tools = chatTools.map(({ function: { name, parameters } }) => ({
  type: "function" as const,
  name,
  parameters,
  strict: false,
}));
const runOf = (response: string) => response.replace("resp_", "");

const collect = async (stream: AsyncIterable<ResponseStreamEvent>) => {
  const events: ResponseStreamEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const last = events.findLast((event) => "response" in event);
  return { events, error, response: last?.response as Response, types: events.map(({ type }) => type) };
};
const textOf = (response: Response): string =>
  response.output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
const numbersOf = (events: readonly ResponseStreamEvent[]) => events.map((event) => event.sequence_number);

const STATUS = { done: "completed", cancelled: "cancelled", error: "failed", interrupted: "failed" };

describe("every story", () => {
  test.each([...stories])("%s, streamed", async (name, entries) => {
    const { client } = await openai();
    const collected = await collect(await client.responses.create({ model: name, input: "Hello", stream: true }));
    const { events, error, types } = collected;
    const end = endOf(entries);
    const isFailed = STATUS[end.outcome] === "failed";
    // OpenAI's client throws at the error, before the event with the failed response.
    const response = isFailed ? await client.responses.retrieve(collected.response.id) : collected.response;
    expect(numbersOf(events)).toEqual(events.map((_, index) => index));
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(types.filter((type) => /^response.(completed|failed|incomplete)$/.test(type))).toHaveLength(
      isFailed ? 0 : 1,
    );
    expect(response.status).toBe(endingOf(entries).note ? "incomplete" : STATUS[end.outcome]);
    expect(response.model).toBe("demo");
    const deltas = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : ""));
    expect(deltas.join("")).toBe(wordsOf(entries, "text").join(""));
    expect(textOf(response)).toBe(deltas.join(""));
    const thoughts = response.output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
    expect(thoughts.map(({ text }) => text)).toHaveLength(wordsOf(entries, "thinking").length + asksOf(entries).length);
    expect(thoughts.map(({ text }) => text)).toEqual(expect.arrayContaining(wordsOf(entries, "thinking")));
    for (const { title } of asksOf(entries))
      expect(thoughts.some(({ text }) => text.startsWith(title ?? "") && text.includes("/?run="))).toBe(true);
    const calls = response.output.filter(({ type }) => type === "function_call");
    expect(calls).toHaveLength(name === "client-run-tool" ? 1 : 0);
    if (end.outcome === "done") expect(response.usage?.input_tokens).toBe(end.usage?.input);
    if (!isFailed) expect(error).toBeUndefined();
    else {
      expect(response.error?.message).toContain(end.error!.message);
      expect((error as APIError).message).toContain(end.error!.message);
    }
  });

  test.each([...stories])("%s, without streaming, and the same when it is requested again", async (name, entries) => {
    const { client } = await openai();
    const response = await client.responses.create({ model: name, input: "Hello" });
    const end = endOf(entries);
    expect(response.status).toBe(endingOf(entries).note ? "incomplete" : STATUS[end.outcome]);
    expect(response.output_text).toBe(wordsOf(entries, "text").join(""));
    expect(response.error?.code).toBe(STATUS[end.outcome] === "failed" ? end.error!.code : undefined);
    expect(await client.responses.retrieve(response.id)).toEqual(response);
  });

  test.each([...stories])("%s, by the helper that assembles a response", async (name, entries) => {
    const { client } = await openai();
    const end = endOf(entries);
    const stream = client.responses.stream({ model: name, input: "Hello" });
    if (STATUS[end.outcome] === "failed") return await expect(stream.finalResponse()).rejects.toBeInstanceOf(APIError);
    expect((await stream.finalResponse()).output_text).toBe(wordsOf(entries, "text").join(""));
  });
});

describe("responses", () => {
  test("items and events have OpenAI's shapes", async () => {
    const { client } = await openai();
    const { events } = await collect(
      await client.responses.create({ model: "thinking", input: "Hello", stream: true }),
    );
    const shapes = [...new Map(events.map((event) => [event.type, Object.keys(event)]))];
    expect(shapes).toEqual([
      ["response.created", ["type", "sequence_number", "response"]],
      ["response.in_progress", ["type", "sequence_number", "response"]],
      ["response.output_item.added", ["type", "sequence_number", "output_index", "item"]],
      [
        "response.reasoning_summary_part.added",
        ["type", "sequence_number", "item_id", "output_index", "summary_index", "part"],
      ],
      [
        "response.reasoning_summary_text.delta",
        ["type", "sequence_number", "item_id", "output_index", "summary_index", "delta"],
      ],
      [
        "response.reasoning_summary_text.done",
        ["type", "sequence_number", "item_id", "output_index", "summary_index", "text"],
      ],
      [
        "response.reasoning_summary_part.done",
        ["type", "sequence_number", "item_id", "output_index", "summary_index", "part"],
      ],
      ["response.output_item.done", ["type", "sequence_number", "output_index", "item"]],
      ["response.content_part.added", ["type", "sequence_number", "item_id", "output_index", "content_index", "part"]],
      [
        "response.output_text.delta",
        ["type", "sequence_number", "item_id", "output_index", "content_index", "delta", "logprobs"],
      ],
      [
        "response.output_text.done",
        ["type", "sequence_number", "item_id", "output_index", "content_index", "text", "logprobs"],
      ],
      ["response.content_part.done", ["type", "sequence_number", "item_id", "output_index", "content_index", "part"]],
      ["response.completed", ["type", "sequence_number", "response"]],
    ]);
    expect(events.flatMap((event) => (event.type === "response.output_item.added" ? [event.item.id] : []))).toEqual([
      "rs_part-1",
      "msg_part-2",
    ]);
  });

  test("the client's tools: arguments stream interleaved, and the results come with the next request", async () => {
    const { client } = await openai({ calls: twoClientCalls });
    const asked = await client.responses.create({ model: "calls", input: "Hello", tools, stream: true });
    const { events, response } = await collect(asked);
    expect(
      events.flatMap((event) =>
        event.type === "response.function_call_arguments.delta" ? [[event.item_id, event.delta]] : [],
      ),
    ).toEqual([
      ["fc_call_a", '{"city":'],
      ["fc_call_b", '{"place":'],
      ["fc_call_a", '"Bern"}'],
      ["fc_call_b", '"Basel"}'],
    ]);
    expect(response.status).toBe("completed");
    const calls = response.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    expect(calls.map(({ call_id: id, name, arguments: text }) => [id, name, text])).toEqual([
      ["call_a", "weather", '{"city":"Bern"}'],
      ["call_b", "show_map", '{"place":"Basel"}'],
    ]);
    const results = calls.map(({ call_id: id }) => ({
      type: "function_call_output" as const,
      call_id: id,
      output: `of ${id}`,
    }));
    const answer = "call_a=of call_a;call_b=of call_b;";
    const history: ResponseInputItem[] = [{ role: "user", content: "Hello" }, ...calls, ...results];
    expect((await client.responses.create({ model: "calls", input: history, tools })).output_text).toBe(answer);
    const next = { model: "calls", previous_response_id: response.id, input: results, tools };
    expect((await client.responses.create(next)).output_text).toBe(answer);
  });

  test("images and files in results reach the model, after all results of the answer", async () => {
    const { client } = await openai({ echo });
    const calls = ["a", "b"].map((id) => ({ type: "function_call" as const, call_id: id, name: "t", arguments: "{}" }));
    const image = { type: "input_image" as const, detail: "auto" as const, image_url: "data:image/png;base64,AAAA" };
    const input: ResponseInputItem[] = [
      { role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: "BBBB" }] },
      ...calls,
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "look" }, image] },
      { type: "function_call_output", call_id: "b", output: "nothing" },
    ];
    const { output_text: answered } = await client.responses.create({ model: "echo", input });
    const echoed = answered
      .split("\n")
      .map((line) => [/^\w+/.exec(line)?.[0], JSON.parse(line.slice(line.indexOf("[")))]);
    expect(echoed.map(([role]) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(echoed[0]?.[1]).toEqual([{ type: "file", mediaType: "application/pdf", data: "BBBB", name: "a.pdf" }]);
    expect(echoed[3]?.[1]).toEqual([
      { type: "text", text: "The result of call a includes this:" },
      { type: "file", mediaType: "image/png", data: "AAAA" },
    ]);
  });

  test("previous_response_id: the history of that response and of those before it comes first", async () => {
    const { client, log } = await openai({ echo });
    const first = await client.responses.create({ model: "thinking", input: "One" });
    const second = await client.responses.create({
      model: "tools-in-parallel",
      input: [{ role: "user", content: "Two" }],
      previous_response_id: first.id,
    });
    const third = await client.responses.create({
      model: "echo",
      input: "Three",
      instructions: "be kind",
      previous_response_id: second.id,
    });
    const answered = third.output_text.split("\n").map((line) => /^(\w+): (.*)$/.exec(line)!.slice(1));
    const shapes = answered.map(([role, text]) => [
      role,
      (JSON.parse(text!) as { type: string }[]).map(({ type }) => type),
    ]);
    expect(shapes).toEqual([
      ["user", ["text"]],
      ["assistant", ["thinking", "text"]],
      ["user", ["text"]],
      ["assistant", ["text", "call", "call"]],
      ["tool", ["result", "result"]],
      ["assistant", ["text"]],
      ["user", ["text"]],
    ]);
    expect([answered[0]![1], answered[2]![1], answered[6]![1]].join()).toMatch(/One.*Two.*Three/);

    const unknown = client.responses.create({ model: "echo", input: "x", previous_response_id: "resp_none" });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
    await log.drop(runOf(first.id));
    const dropped = client.responses.create({ model: "echo", input: "x", previous_response_id: first.id });
    await expect(dropped).rejects.toMatchObject({ status: 404, type: "invalid_request_error" });
    const kept = await client.responses.create({ model: "echo", input: "x", previous_response_id: second.id });
    expect(kept.output_text).toContain("One");
  });

  test("in the background: the response is immediate and can be polled to its end without a client", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { client } = await openai({
      slow: async function* () {
        yield { type: "step-start", step: "s" };
        yield { type: "text-start", part: "p" };
        yield { type: "text-delta", part: "p", delta: "half" };
        await promise;
        yield { type: "text-delta", part: "p", delta: " and half" };
      },
    });
    const { id, status } = await client.responses.create({ model: "slow", input: "Hello", background: true });
    expect(status).toBe("in_progress");
    let seen: Response | undefined;
    await until(async () => (seen = await client.responses.retrieve(id)).output_text === "half");
    expect(seen!.status).toBe("in_progress");
    resolve();
    await until(async () => (seen = await client.responses.retrieve(id)).status === "completed");
    expect(seen!.output_text).toBe("half and half");
  });

  test("resuming with starting_after from any event returns the same rest, byte for byte", async () => {
    const { client } = await openai();
    const asked = await client.responses.create({ model: "everything", input: "Hello", stream: true });
    const { events, response } = await collect(asked);
    for (const after of events.keys()) {
      const stream = await client.responses.retrieve(response.id, { stream: true, starting_after: after });
      const rest = await collect(stream);
      expect(numbersOf(rest.events)).toEqual(numbersOf(events).slice(after + 1));
      expect(rest.events).toEqual(events.slice(after + 1));
    }
    const whole = await collect(await client.responses.retrieve(response.id, { stream: true }));
    expect(whole.events).toEqual(events);
    const beyond = client.responses.retrieve(response.id, { stream: true, starting_after: events.length });
    await expect(beyond).rejects.toBeInstanceOf(BadRequestError);
  });

  test("a stream in the background continues without its client, which can return for the rest", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { client, endOf: logged } = await openai({
      slow: async function* () {
        yield { type: "step-start", step: "s" };
        yield { type: "text-start", part: "p" };
        yield { type: "text-delta", part: "p", delta: "half" };
        await promise;
        yield { type: "text-delta", part: "p", delta: " and half" };
      },
    });
    const stream = await client.responses.create({ model: "slow", input: "x", background: true, stream: true });
    let id = "";
    let last = -1;
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      last = event.sequence_number;
      if (event.type === "response.output_text.delta") break;
    }
    const resumed = await client.responses.retrieve(id, { stream: true, starting_after: last });
    resolve();
    const { events, response } = await collect(resumed);
    expect(numbersOf(events)).toEqual(events.map((_, index) => last + 1 + index));
    expect(textOf(response)).toBe("half and half");
    expect((await logged(runOf(id)))?.outcome).toBe("done");
  });

  test("errors before the stream have OpenAI's format", async () => {
    const { client, log } = await openai();
    const unknown = await client.responses.create({ model: "nobody", input: "x" }).catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" });
    const bad = client.responses.create({ model: "demo", input: 7 as unknown as string });
    await expect(bad).rejects.toBeInstanceOf(BadRequestError);
    await expect(client.responses.retrieve("resp_none")).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.responses.retrieve("other")).rejects.toBeInstanceOf(NotFoundError);
    const { id } = await client.responses.create({ model: "demo", input: "Hello" });
    await log.drop(runOf(id));
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("an error in the middle of a stream: the response has failed, and the stream reports it", async () => {
    const { client } = await openai({ failing });
    const asked = await client.responses.create({ model: "failing", input: "x", stream: true });
    const { error, response: begun } = await collect(asked);
    const response = await client.responses.retrieve(begun.id);
    expect(response.status).toBe("failed");
    expect(response.error).toEqual({ code: "agent-failed", message: "the disk is full" });
    expect(response.output).toMatchObject([{ status: "incomplete", content: [{ text: "I begin" }] }]);
    expect(error).toMatchObject({ code: "agent-failed" });
  });

  test("closing the stream cancels the run", async () => {
    const { client, endOf: logged } = await openai({ waiting });
    const stream = await client.responses.create({ model: "waiting", input: "x", stream: true });
    let id = "";
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") break;
    }
    await until(async () => (await logged(runOf(id))) !== undefined);
    expect((await logged(runOf(id)))?.outcome).toBe("cancelled");
  });

  test("cancel returns the response, even when repeated", async () => {
    const { client } = await openai({ waiting });
    const { id } = await client.responses.create({ model: "waiting", input: "x", background: true });
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    const again = await client.responses.cancel(id);
    expect({ id: again.id, status: again.status }).toEqual({ id, status: "cancelled" });
  });

  test("a large tool result is not sent, and a large answer is complete", async () => {
    const { client } = await openai({ large });
    const { response } = await collect(await client.responses.create({ model: "large", input: "x", stream: true }));
    expect(textOf(response)).toHaveLength(2 ** 20);
  });
});
