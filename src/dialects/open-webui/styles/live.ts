import { type CreateShow, createWords } from "../show.ts";
import { cards } from "./cards.ts";

/**
 * The run's embedded view above the text: cards, sub-agents, a timeline, and asks with their answers. Only the agent's
 * text becomes items of the message and is stored as text. Falls back to `cards` if no frame can be shown.
 */
export const live: CreateShow = (stage) => {
  const { output, side, embed } = stage;
  if (!embed || !side.showsEmbeds) return cards(stage);
  return {
    ...createWords(output),
    asksInPlace: true,
    // Open WebUI reloads what it has stored, so the view with answering stays stored until the run ends.
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
