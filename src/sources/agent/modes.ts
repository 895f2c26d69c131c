import type { Message, Part } from "../../events.ts";
import { Refusal, type RunRequest } from "../../source.ts";
import type { Toolkit } from "../../tool.ts";
import { agentLabel } from "./check-options.ts";
import type { Definition } from "./definition.ts";

/** A way for an agent to work, selected by a slash command or by the request's `mode`. */
export interface ModeOptions {
  /** What the mode is for. Shown when a command is unknown. */
  readonly description?: string;
  /** Added to the agent's instructions. */
  readonly instructions?: string;
  /** The names of its tools, from the agent's tools, toolkits and provider tools. `task` starts sub-agents. Default: all. */
  readonly tools?: readonly string[];
}

export interface Chosen {
  /** The agent configured for this mode. */
  readonly definition: Definition;
  /** The messages as the model sees them, without the agent's commands. */
  readonly messages: readonly Message[];
  /** The name of the mode. */
  readonly mode?: string;
  readonly notice?: string;
}

/** Throws for modes that cannot be selected, or that name tools that do not exist. */
export const checkModes = ({ name, modes, tools, toolkits, providerTools }: Definition): void => {
  const seen = new Set<string>();
  for (const [mode, { tools: wanted = [] }] of modes) {
    if (!NAME.test(mode))
      throw new TypeError(`${agentLabel(name)}: /${mode} cannot be a command: use letters, digits, - or _`);
    if (seen.has(mode.toLowerCase())) throw new TypeError(`${agentLabel(name)}: two modes are named ${mode}`);
    seen.add(mode.toLowerCase());
    const missing = wanted.find((tool) => !tools.has(tool) && !Object.hasOwn(providerTools, tool));
    // The tools of toolkits are not known before a run.
    if (missing !== undefined && toolkits.length === 0)
      throw new TypeError(
        `${agentLabel(name)}: its mode ${mode} names the tool ${missing}, which the agent does not have`,
      );
  }
};

/**
 * The mode of a request: the command at the beginning of its last user message, otherwise its `mode`. An unknown
 * command is sent to the model as text. An unknown `mode` is refused.
 */
export const chooseMode = (definition: Definition, request: RunRequest): Chosen => {
  const { modes } = definition;
  const named = request.mode === undefined ? undefined : modeNamed(definition, request.mode);
  if (request.mode !== undefined && !named) throw unknownMode(definition, request.mode);
  if (modes.size === 0) return { definition, messages: request.messages };
  const command = commandOf(request.messages.findLast(({ role }) => role === "user"));
  const fromCommand = command === undefined ? undefined : modeNamed(definition, command);
  const mode = fromCommand ?? named;
  const messages = request.messages.map((message) => withoutCommand(message, definition));
  return {
    definition: mode === undefined ? definition : inMode(definition, modes.get(mode) ?? {}),
    messages,
    ...(mode !== undefined && { mode }),
    ...(command !== undefined && fromCommand === undefined && { notice: unknownCommand(definition, command) }),
  };
};

const NAME = /^[\p{L}\p{N}_-]+$/u;
const COMMAND = /^\/([\p{L}\p{N}_-]+)(?:\s+|$)/u;

const modeNamed = ({ modes }: Definition, wanted: string): string | undefined =>
  [...modes.keys()].find((name) => name.toLowerCase() === wanted.toLowerCase().replace(/^\//, ""));

const commandOf = (message: Message | undefined): string | undefined => {
  const first = message?.content.find((part) => part.type === "text");
  return first && COMMAND.exec(first.text)?.[1];
};

const withoutCommand = (message: Message, definition: Definition): Message => {
  const command = message.role === "user" ? commandOf(message) : undefined;
  const mode = command === undefined ? undefined : modeNamed(definition, command);
  if (mode === undefined) return message;
  const first = message.content.findIndex(({ type }) => type === "text");
  const content = message.content.flatMap((part, index): Part[] => {
    if (index !== first || part.type !== "text") return [part];
    const text = part.text.replace(COMMAND, "");
    if (text !== "") return [{ ...part, text }];
    // Providers reject a message without content.
    return message.content.length > 1 ? [] : [{ ...part, text: mode }];
  });
  return { ...message, content };
};

const inMode = (definition: Definition, { instructions, tools: wanted }: ModeOptions): Definition => {
  const own = definition.instructions;
  const whole = [own, instructions].filter(Boolean).join("\n\n") || undefined;
  if (!wanted) return { ...definition, instructions: whole };
  const isWanted = (name: string) => wanted.includes(name);
  return {
    ...definition,
    instructions: whole,
    tools: new Map([...definition.tools].filter(([name]) => isWanted(name))),
    providerTools: Object.fromEntries(Object.entries(definition.providerTools).filter(([name]) => isWanted(name))),
    toolkits: definition.toolkits.map((toolkit) => only(toolkit, isWanted)),
  };
};

const only = (toolkit: Toolkit, isWanted: (name: string) => boolean): Toolkit => ({
  async open(context) {
    const opened = await toolkit.open(context);
    return {
      tools: async () => (await opened.tools()).filter(({ name }) => isWanted(name)),
      close: () => opened.close?.(),
    };
  },
});

const listed = ({ modes }: Definition): string =>
  [...modes].map(([name, { description }]) => `/${name}${description ? ` (${description})` : ""}`).join(", ") || "none";

const unknownCommand = (definition: Definition, command: string): string =>
  `/${command} is not a command of ${definition.name}, so it was read as text. Available commands: ${listed(definition)}.`;

const unknownMode = (definition: Definition, mode: string): Refusal =>
  new Refusal("unknown-mode", `The agent ${definition.name} has no mode ${mode}. Its modes: ${listed(definition)}.`, {
    hint: "Request one of them, or none.",
  });
