import { type CreateShow, createWords } from "../show.ts";
import { cards } from "./cards.ts";

/**
 * The run's own view in a frame above the words: cards, sub-agents, a timeline, and what is asked, answered there. Only the words are
 * items of the message, so they are all that is stored as text. Where no frame can be shown it is the style `cards`.
 */
export const live: CreateShow = (stage) => {
  const { output, side, embed } = stage;
  if (!embed || !side.showsEmbeds) return cards(stage);
  return {
    ...createWords(output),
    asksInPlace: true,
    // Open WebUI shows what it has stored as soon as it looks there again, so the one that answers is stored until the run ends.
    start: () => side.view(embed("answer")),
    startCall: () => [],
    readyCall: () => [],
    executeCall: () => [],
    endCall: () => [],
    endStep: () => [],
    end: () => [...output.finish(), ...side.view(embed("read"))],
    will: () => [],
  };
};
