import { sample } from "./sample.ts";
import type { DemoStory, Turn } from "./story.ts";

const named = ({ message, tools }: Turn) => [...tools].find(([name]) => message.includes(name));

/** For agents without the tools of any script: the text must not describe calls that did not happen. */
export const unscripted: DemoStory = {
  name: "unscripted",
  message: "",
  description: "calls the tool that the message names, or explains how to name one",
  matches: () => true,
  steps: [
    (turn) => {
      const [name, schema = {}] = named(turn) ?? [];
      if (name !== undefined)
        return [{ say: "I'm a script, so I made up the arguments. " }, { call: name, input: sample(schema) }];
      const [tool] = turn.tools.keys();
      return [
        {
          say: [
            "I'm a **scripted demo**, and I have no script for this agent, so no tool ran. ",
            tool === undefined ? "" : `Name one of its tools, as in “Use ${tool}”, and I'll call it. `,
            'To get real answers, set a model: `model: "anthropic/claude-sonnet-4-5"`.',
          ].join(""),
        },
      ];
    },
    ({ results }) =>
      results
        .slice(-1)
        .map(({ text, isError }) => ({ say: `${isError ? "That didn't work" : "The tool returned"}: ${text}` })),
  ],
};
