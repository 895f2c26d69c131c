import type { Client } from "../client.ts";
import { nativeRun } from "../workload.ts";

/** The baseline: the minimum code that turns bytes into the text of a run and its calls. */
export const client: Client = {
  stream: function* (plan) {
    const { opening, events } = nativeRun(plan);
    for (const event of [...opening, ...events]) yield `data: ${JSON.stringify(event)}\n\n`;
  },
  read: (chunks) => {
    const decoder = new TextDecoder();
    const calls = new Map<string, { state: string }>();
    let text = "";
    let rest = "";
    for (const chunk of chunks) {
      rest += decoder.decode(chunk, { stream: true });
      let start = 0;
      for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n", start)) {
        const event = JSON.parse(rest.slice(start + 6, end)) as { type: string; delta: string; call: string };
        if (event.type === "text-delta") text += event.delta;
        else if (event.type === "tool-start") calls.set(event.call, { state: "pending" });
        else if (event.type === "tool-execute") calls.get(event.call)!.state = "executing";
        else if (event.type === "tool-end") calls.get(event.call)!.state = "done";
        start = end + 2;
      }
      rest = rest.slice(start);
    }
    return text;
  },
};
