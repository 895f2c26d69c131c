import type { DemoStory } from "./story.ts";

/** For messages with files: the script cannot read them, so it lists them. */
export const withFiles: DemoStory = {
  name: "files",
  message: "",
  description: "lists the files attached to the message",
  matches: ({ files, step }) => files.length > 0 && step === 0,
  steps: [
    ({ files }) => [
      {
        say: [
          `I can't read ${files.length === 1 ? "this file" : "these files"}:\n\n`,
          files.map(({ name, mediaType, bytes }) => `- **${name}** (${mediaType}, ${bytes} bytes)\n`).join(""),
          "\nI'm a scripted demo. A real model can.",
        ],
      },
    ],
  ],
};
