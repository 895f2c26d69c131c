import { type CreateShow, createWords, isOk } from "../show.ts";

/** Shows running calls only in the status line, and their results as sources that can be opened. */
export const citations: CreateShow = ({ output, side, pipe }) => ({
  ...createWords(output),
  agentEnded: "Sub-agent completed",
  startCall: () => [],
  readyCall: () => [],
  executeCall: () => [],
  endCall({ key, label, input }, result) {
    if (pipe?.citations === false) return [];
    const name = `🔧 ${label}${isOk(result) ? "" : " ✗"}`;
    const { text, link, gap } = result;
    return side.result({ id: key, name, text, link, gap, input });
  },
  endStep: () => [],
  end: () => output.finish(),
  will: () => [],
});
