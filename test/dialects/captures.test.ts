import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { agUi } from "../../src/dialects/ag-ui.ts";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { http } from "../../src/sources/http.ts";
import { createFrameReader } from "../../src/sse.ts";
import { playStory, resultOf } from "../frameworks/play.ts";
import { startScriptedServer, streams } from "../scripted-server.ts";

const directory = path.join(
  process.env.RUNCAST_CAPTURES ?? path.join(import.meta.dirname, "../../../shared/captures"),
  "agents",
);
const isThere = existsSync(directory);
/** What follows the answers of a run, and the replay of a thread with several runs. */
const isOther = /-(resume|answer|connect)\.txt$/;
const files = isThere
  ? readdirSync(directory).filter(
      (file) => /^(agno-agui|copilotkit|pydantic|aisdk)-/.test(file) && !file.endsWith(".request.txt"),
    )
  : [];

console.log(
  isThere
    ? `recordings of AG-UI and AI SDK servers: ${files.length}`
    : "recordings of AG-UI and AI SDK servers: none here, skipped",
);

interface Sent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const textIn = (file: string): string => readFileSync(path.join(directory, file), "utf8");

const framesIn = (text: string): readonly Sent[] => {
  const frames: Sent[] = [];
  const reader = createFrameReader(({ data }) => void (data === "[DONE]" || frames.push(JSON.parse(data) as Sent)));
  reader.push(Buffer.from(text));
  return frames;
};

/** The streams of a recorded run: the first, and the one after the user's answers. Undefined if that one was not recorded. */
const runIn = (file: string): readonly string[] | undefined => {
  const first = textIn(file);
  const isAsking = /"type":"(tool-approval-request|RUN_FINISHED".*"type":"interrupt)"/.test(first);
  if (!isAsking) return framesIn(first).length > 0 ? [first] : undefined;
  const next = ["resume", "answer"]
    .map((name) => file.replace(".txt", `-${name}.txt`))
    .find((one) => files.includes(one));
  return next === undefined ? undefined : [first, textIn(next)];
};

/** Types of events, in both protocols. */
const TEXT = /^(text-delta|TEXT_MESSAGE_(CONTENT|CHUNK))$/;
const THOUGHT = /^(reasoning-delta|(REASONING|THINKING_TEXT)_MESSAGE_CONTENT)$/;
const CALL = /^(tool-input-(start|available)|TOOL_CALL_START)$/;
const RESULT = /^(tool-output-available|TOOL_CALL_RESULT)$/;
const ERROR = /^(error|RUN_ERROR)$/;
const END = /^(finish|abort|RUN_FINISHED)$/;

describe.skipIf(!isThere)("the run shows what the server sent", () => {
  test.each(files.filter((file) => !isOther.test(file) && runIn(file) !== undefined))("%s", async (file) => {
    const texts = runIn(file)!;
    const server = await startScriptedServer(...texts.map((text) => streams(text)));
    const source = http({ dialect: /aisdk/.test(file) ? aiSdk : agUi, url: server.url, path: () => "" });
    const { all, end, calls } = await playStory(source, "go", () => ({ allow: !/deny|cancelask/.test(file) }));
    await server.close();
    expect(server.requests).toHaveLength(texts.length);

    const sent = texts.flatMap(framesIn);
    const sentText = (type: RegExp) => sent.map((one) => (type.test(one.type) ? one["delta"] : "")).join("");
    expect(
      all("text-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(sentText(TEXT));
    expect(
      all("thinking-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(sentText(THOUGHT));
    const names = new Map(
      sent.flatMap((one) => (CALL.test(one.type) ? [[one["toolCallId"], one["toolCallName"] ?? one["toolName"]]] : [])),
    );
    expect(calls.map(({ name }) => name)).toEqual([...names.values()]);
    for (const [index, id] of [...names.keys()].entries()) {
      const result = sent.findLast((one) => RESULT.test(one.type) && one["toolCallId"] === id);
      if (!result) continue;
      const { value, error } = calls[index]!;
      expect([resultOf(calls[index]!) || error?.message, value]).toContainEqual(result["content"] ?? result["output"]);
    }
    const isWhole = sent.some(({ type }) => END.test(type));
    expect(end.outcome).toBe(isWhole && !sent.some(({ type }) => ERROR.test(type)) ? "done" : "error");
  });
});
