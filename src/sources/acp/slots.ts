import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Event, Json } from "../../events.ts";
import { countOf, lineOf, textOf } from "../upstream/reading.ts";

const MAX_ENTRIES = 200;
const STATUSES: ReadonlyMap<string | undefined, string> = new Map([
  ["in_progress", "active"],
  ["completed", "done"],
]);

/** Updates about the session as a whole: its plan, title, mode, commands and context. */
export const slotOf = (update: Fields): Event[] => {
  switch (update["sessionUpdate"]) {
    case "plan":
      return [{ type: "data", name: "todos", value: todosOf(update["entries"]) }];
    case "session_info_update": {
      const title = lineOf(update["title"], 100);
      return title === undefined ? [] : [{ type: "data", name: "title", value: title }];
    }
    case "usage_update":
      return contextOf(update);
    case "current_mode_update":
      return modeOf(update["currentModeId"]);
    case "config_option_update":
      return modeOf(
        listOf(update["configOptions"])
          .map(fieldsOf)
          .find(({ category }) => category === "mode")?.["currentValue"],
      );
    case "available_commands_update":
      return [{ type: "data", name: "commands", value: commandsOf(update["availableCommands"]) }];
    case "notice": {
      const text = [lineOf(update["title"]), lineOf(update["description"], 1000)].filter(Boolean).join(": ");
      const level = update["severity"];
      return text === ""
        ? []
        : [{ type: "notice", level: level === "warning" || level === "error" ? level : "info", text }];
    }
    case "compaction_update":
      return compactionOf(update);
    default:
      return [];
  }
};

const compactionOf = ({ status, error }: Fields): Event[] => {
  const over: Event = { type: "status", text: status === "in_progress" ? "Compacting the conversation…" : "" };
  if (status !== "failed") return [over];
  const text = ["The agent could not compact the conversation", lineOf(error, 1000)].filter(Boolean).join(": ");
  return [over, { type: "notice", level: "warning", text }];
};

const modeOf = (value: unknown): Event[] => {
  const mode = lineOf(value, 100);
  return mode === undefined ? [] : [{ type: "data", name: "mode", value: mode }];
};

/** Entries have no ids. Each update contains the complete plan, so their positions serve as ids. */
const todosOf = (entries: unknown): Json =>
  listOf(entries)
    .slice(0, MAX_ENTRIES)
    .map((entry, index) => {
      const { content, status } = fieldsOf(entry);
      const text = lineOf(content, 1000) ?? "";
      return { id: `${index + 1}`, text, status: STATUSES.get(textOf(status)) ?? "pending" };
    });

const commandsOf = (commands: unknown): Json =>
  listOf(commands)
    .slice(0, MAX_ENTRIES)
    .flatMap((command): Json[] => {
      const { name, description, input } = fieldsOf(command);
      const known = lineOf(name, 100);
      const about = lineOf(description, 200);
      const hint = lineOf(fieldsOf(input)["hint"], 200);
      if (known === undefined) return [];
      return [{ name: known, ...(about !== undefined && { description: about }), ...(hint !== undefined && { hint }) }];
    });

/** How full the model's context is, as opposed to the tokens spent. */
const contextOf = (update: Fields): Event[] => {
  const used = countOf(update["used"]);
  const size = countOf(update["size"]);
  if (used === undefined || size === undefined) return [];
  const { amount, currency } = fieldsOf(update["cost"]);
  const cost = typeof amount === "number" && typeof currency === "string" ? { amount, currency } : undefined;
  return [{ type: "data", name: "context", value: { used, size, ...(cost && { cost }) } }];
};
