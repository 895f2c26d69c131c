import { duration, usageText } from "../amounts.ts";
import type { Connection } from "../client.ts";
import type { Part } from "../events.ts";
import type { RunState } from "../state.ts";
import { type IconName, icon } from "./icon.ts";
import { make, setText } from "./make.ts";

/** What stands around the things that a run's agents did: who asked for what, how it goes, how it ended. */
export interface RunFrame {
  readonly above: HTMLElement;
  readonly below: HTMLElement;
  show(state: RunState, connection: Connection | undefined): void;
}

const ENDS: Readonly<Record<NonNullable<RunState["outcome"]>, readonly [IconName, string]>> = {
  done: ["ok", "Finished"],
  error: ["error", "Failed"],
  cancelled: ["cancelled", "Cancelled"],
  interrupted: ["interrupted", "Interrupted"],
};

export const createRunFrame = (): RunFrame => {
  const name = make("b");
  const model = make("span", "soft");
  const link = make("span", "soft link");
  link.setAttribute("role", "status");
  const asked = make("p", "asked");
  const status = make("p", "status");
  const error = make("p", "bad");
  const end = make("p", "end");
  const ended = make("span");
  let outcome: RunState["outcome"];
  return {
    above: make("header", "", make("p", "head", name, model, link), asked),
    below: make("footer", "", status, error, end),
    show: (state, connection) => {
      setText(name, state.root.name || "Run");
      setText(model, state.model ?? "");
      setText(link, state.outcome === undefined ? linkText(connection) : "");
      setText(asked, (state.message?.content ?? []).map(partText).filter(Boolean).join("\n"));
      setText(status, state.outcome === undefined ? (state.root.status ?? "") : "");
      const problem = state.error ?? (connection?.status === "failed" ? connection.problem : undefined);
      setText(error, problem ? [problem.message, problem.hint].filter(Boolean).join(" ") : "");
      end.hidden = state.outcome === undefined;
      if (state.outcome === undefined) {
        outcome = undefined;
        return;
      }
      if (state.outcome !== outcome) {
        outcome = state.outcome;
        const [drawing, word] = ENDS[outcome];
        end.dataset["state"] = drawing;
        end.replaceChildren(icon(drawing), make("span", "", word), ended);
      }
      setText(ended, [timeText(state), usageText(state.usage)].filter(Boolean).join(" · "));
      ended.className = "soft";
    },
  };
};

const linkText = (connection: Connection | undefined): string => {
  switch (connection?.status) {
    case "connecting":
      return "connecting";
    case "live":
      return connection.waiting ? `live, waiting for ${connection.waiting.waiting}` : "live";
    case "reconnecting":
      return "reconnecting";
    case "failed":
      return "not connected";
    default:
      return "";
  }
};

const partText = (part: Part): string =>
  part.type === "text" ? part.text : part.type === "file" ? (part.name ?? "a file") : "";

const timeText = ({ startedAt, endedAt }: RunState): string =>
  startedAt === undefined || endedAt === undefined ? "" : `in ${duration(endedAt - startedAt)}`;
