import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Source } from "../source.ts";
import { type AgentOptions, agent } from "../sources/agent.ts";
import { collect } from "./demo/collect.ts";
import { failure, play } from "./demo/play.ts";
import { fallback, roles } from "./demo/roles.ts";
import { stories as builtIn } from "./demo/stories.ts";
import { unscripted } from "./demo/unscripted.ts";
import { type DemoStory, beatsOf, readTurn } from "./demo/story.ts";
import { withFiles } from "./demo/with-files.ts";
import { demoTools } from "./demo/tools.ts";

export { demoTools };
export type { Beat, DemoStory, Turn } from "./demo/story.ts";

export interface DemoOptions {
  /** 1 is about 60 tokens per second; Infinity disables delays. Default: 1. */
  readonly speed?: number;
  /** A different seed produces different ids. Default: 1. */
  readonly seed?: number;
  /** Additional stories, tried before the built-in ones. */
  readonly stories?: readonly DemoStory[];
}

/** The available stories and the message that triggers each. Any other message gets a story that shows a bit of everything. */
export const demoStories: readonly Pick<DemoStory, "name" | "message" | "description">[] = builtIn.map(
  ({ name, message, description }) => ({ name, message, description }),
);

/**
 * A model that plays scripts. It needs no key and no network, and its output states that it is scripted. It is
 * deterministic: the same prompt gets the same response.
 */
export const demo = ({ speed = 1, seed = 1, stories = [] }: DemoOptions = {}): LanguageModelV4 => {
  const known = [...stories, withFiles, ...roles, ...builtIn, fallback, unscripted];
  /** Requests that already failed once, keyed by their last message: a retry passes the same object. */
  const refused = new WeakSet<object>();

  const start = (options: LanguageModelV4CallOptions, pace: number) => {
    const { prompt, abortSignal } = options;
    const turn = readTurn(options);
    const story = known.find((candidate) => candidate.matches(turn)) ?? unscripted;
    const beats = beatsOf(story, turn).filter((beat) => {
      const message = prompt.at(-1);
      if (!("fail" in beat) || !beat.fail.once || !message) return true;
      const again = refused.has(message);
      refused.add(message);
      return !again;
    });
    const [first] = beats;
    if (first && "fail" in first) throw failure(first, pace);
    return play(beats, {
      speed: pace,
      promptTokens: Math.ceil(JSON.stringify(prompt).length / 4),
      signal: abortSignal,
      callId: (index) => `call_${hash(`${seed} ${story.name} ${turn.message} ${prompt.length} ${index}`)}`,
    });
  };

  const facts = { accepts: ["image/*", "application/pdf"] };
  return {
    ...facts,
    specificationVersion: "v4",
    provider: "demo",
    modelId: "demo (scripted)",
    supportedUrls: {},
    async doStream(options) {
      const parts = start(options, speed);
      const stream = new ReadableStream({
        async pull(controller) {
          const { done, value } = await parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await parts.return(undefined);
        },
      });
      return { stream };
    },
    doGenerate: async (options) => collect(start(options, Infinity)),
  };
};

/** Not suggested to users, because it does nothing for a client without tools. */
const CLIENT_RUN = "client-run tool";

/** An agent that needs no key: the demo model, real tools on a small built-in data set, and sub-agents nested three deep. */
export const demoAgent = ({
  speed = 1,
  seed = 1,
  stories = [],
  ...options
}: DemoOptions & Partial<AgentOptions> = {}): Source => {
  const tools = demoTools({ speed });
  const only = (...names: string[]) => tools.filter(({ name }) => names.includes(name));
  const summarizer = {
    description: "summarizes text in one sentence",
    instructions: "You are the summarizer of the scripted demo.",
    tools: only("calculate"),
  };
  const reader = {
    description: "reads one note in full",
    instructions: "You are the reader of the scripted demo.",
    tools: only("search_notes"),
    agents: { summarizer },
  };
  const researcher = {
    description: "searches the notes about one topic",
    instructions: "You are the researcher of the scripted demo.",
    tools: only("search_notes", "calculate"),
    agents: { reader },
  };
  return agent({
    description: "Plays scripted stories with real tools; needs no key.",
    suggestions: suggestions(),
    model: demo({ speed, seed, stories }),
    instructions: "You look after Lantern, a small project. You are the scripted demo of Runcast.",
    tools,
    agents: { researcher },
    ...options,
  });
};

/** What a newcomer should see first. */
const FIRST = ["nested", "approval", "failing tool", "long"];

const suggestions = (): string[] => {
  const rank = (name: string): number => FIRST.indexOf(name) + 1 || FIRST.length + 1;
  return demoStories
    .filter(({ name }) => name !== CLIENT_RUN)
    .toSorted((one, other) => rank(one.name) - rank(other.name))
    .map(({ message }) => message);
};

/** FNV-1a, for short and stable ids. */
const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(36).padStart(7, "0");
};
