import type { DemoStory } from "./story.ts";

/** For messages with files: the script cannot read them, so it lists what it received. */
export const withFiles: DemoStory = {
  name: "files",
  message: "",
  description: "lists the files attached to the message",
  matches: ({ files, step }) => files.length > 0 && step === 0,
  steps: [
    ({ files }) => [
      {
        say: [
          `You attached ${files.length === 1 ? "one file" : `${files.length} files`}:\n\n`,
          files.map(({ name, mediaType, bytes }) => `- **${name}** (${mediaType}, ${bytes} bytes)\n`).join(""),
          "\nI'm a scripted demo and can't read them. A real model can.",
        ],
      },
    ],
  ],
};
