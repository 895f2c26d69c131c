import { onTestFinished } from "vitest";
import { type AgnoOptions, agno } from "../../src/sources/agno.ts";
import type { Source } from "../../src/source.ts";
import { type Answering, hangs, startScriptedServer, streams } from "../scripted-server.ts";

const written = (...events: readonly object[]): string =>
  events.map((event, index) => `data: ${JSON.stringify({ run_id: "1", event_index: index, ...event })}\n\n`).join("");

const begun = [{ event: "RunStarted" }, { event: "ModelRequestStarted" }, { event: "RunContent", content: "Hello." }];

/** An agent on a server that gives these responses in order. */
export const scripted = async (answers: readonly Answering[], options: Partial<AgnoOptions> = {}): Promise<Source> => {
  const server = await startScriptedServer(...answers);
  onTestFinished(() => server.close());
  return agno({ url: server.url, agent: "scripted", ...options });
};

export const answering = (): Promise<Source> =>
  scripted([
    streams(written(...begun, { event: "ModelRequestCompleted" }, { event: "RunCompleted", content: "Hello." })),
  ]);

export const staying = (): Promise<Source> => scripted([hangs(written(...begun))]);
