import { sample } from "./sample.ts";
import type { DemoStory, Turn } from "./story.ts";

const named = ({ message, tools }: Turn) => [...tools].find(([name]) => message.includes(name));

/** For agents without the tools of any script: the text must not describe calls that did not happen. */
export const unscripted: DemoStory = {
  name: "unscripted",
  message: "",
  description: "calls a tool that the message names, or says how to",
  matches: () => true,
  steps: [
    (turn) => {
      const [name, schema = {}] = named(turn) ?? [];
      if (name !== undefined)
        return [{ say: "I make up the arguments, because I am a script. " }, { call: name, input: sample(schema) }];
      const [tool] = turn.tools.keys();
      return [
        {
          say: [
            "I am a **scripted demo**, and there is no script for this agent. So I only wrote this; no tool ran. ",
            tool === undefined ? "" : `Name one of its tools, as in “Use ${tool}”, and I call it. `,
            'To get real answers, set a model: `model: "anthropic/claude-sonnet-4-5"`.',
          ].join(""),
        },
      ];
    },
    ({ results }) =>
      results
        .slice(-1)
        .map(({ text, isError }) => ({ say: `${isError ? "That did not work" : "The tool answered"}: ${text}` })),
  ],
};
