import { z } from "zod";
import type { Beat, DemoStory, Turn } from "../../../src/models/demo.ts";
import { demo } from "../../../src/models/demo.ts";
import type { Source } from "../../../src/source.ts";
import { agent } from "../../../src/sources/agent.ts";
import { type Tool, defineTool, toolResult } from "../../../src/tool.ts";
import type { Gates } from "./gates.ts";

/** A story that is played by a message that starts with its name. */
const story = (name: string, ...steps: ((turn: Turn) => readonly Beat[])[]): DemoStory => ({
  name,
  message: name,
  description: name,
  matches: ({ message, system }) => message.startsWith(name) && ![HELPER, CLERK].some((part) => system.includes(part)),
  steps,
});

const HELPER = "You help with one book.";
const CLERK = "You send one letter.";
const lookUp = (topic: string): Beat => ({ call: "look_up", input: { topic } });

const stories: readonly DemoStory[] = [
  story(
    "One tool",
    () => [{ say: "First I look it up. " }, lookUp("owls")],
    () => [{ say: "Owls are birds of the night." }],
  ),
  story(
    "Birds and bats",
    () => [{ say: "First the owls. " }, lookUp("owls")],
    () => [{ say: "Then the bats. " }, lookUp("bats")],
    () => [{ say: "Owls and bats fly at night." }],
  ),
  story(
    "Two tools",
    () => [{ say: "Two at once. " }, lookUp("owls"), lookUp("bats")],
    () => [{ say: "Both fly at night." }],
  ),
  {
    ...story(
      "Which documents",
      () => [{ call: "list_documents", input: {} }],
      ({ resultsOf }) => [{ say: `I have ${resultsOf("list_documents").join()}.` }],
    ),
    // Open WebUI wraps the question in a template with what it found in the documents.
    matches: ({ message }) => message.includes("Which documents"),
  },
  story(
    "Failing",
    () => [{ say: "I try it. " }, { call: "open_shelf", input: { shelf: "Z" } }],
    () => [{ say: "That shelf does not exist." }],
  ),
  story("Thinking", () => [{ think: "Owls hunt by ear, so darkness is no hindrance." }, { say: "They hear well." }]),
  story(
    "Helpers",
    () => [
      { say: "Two helpers. " },
      { call: "task", input: { agent: "helper", task: "Read the book on owls" } },
      { call: "task", input: { agent: "helper", task: "Read the book on bats" } },
    ],
    ({ resultsOf }) => [{ say: `Both are back: ${resultsOf("task").join(" ")}` }],
  ),
  story(
    "Team",
    () => [
      { say: "Three at once. " },
      { call: "task", input: { agent: "helper", task: "Read the book on owls" } },
      { call: "task", input: { agent: "helper", task: "Read the book on bats" } },
      { call: "task", input: { agent: "clerk", task: "Write to Ines" } },
    ],
    () => [{ say: "The books are read, and the letter is sent." }],
  ),
  story(
    "Citing",
    () => [{ say: "I search. " }, { call: "search_library", input: { query: "night birds" } }],
    () => [{ say: "Two books tell of them." }],
  ),
  story(
    "Confirming",
    () => [{ say: "I would tidy up. " }, { call: "tidy_up", input: { room: "attic" } }],
    ({ results }) => [{ say: `It is settled: ${results[0]?.text}` }],
  ),
  story(
    "Approving",
    () => [{ say: "I would send it. " }, { call: "send_letter", input: { to: "Ines" } }],
    ({ results }) => [{ say: results[0]?.isError ? "I did not send it." : `${results[0]?.text}` }],
  ),
  story(
    "Asking",
    () => [{ call: "ask_name", input: {} }],
    ({ results }) => [{ say: `Good evening, ${results[0]?.text}.` }],
  ),
  story(
    "Choosing",
    () => [{ call: "ask_colour", input: {} }],
    ({ results }) => [{ say: `Painted ${results[0]?.text}.` }],
  ),
  story(
    "Large",
    () => [{ call: "read_all", input: {} }],
    () => [{ say: Array.from({ length: 500 }, (_, index) => `word${index} `) }],
  ),
  story(
    "Everything",
    () => [{ say: "See. " }, { call: "show_all", input: {} }],
    () => [{ say: "That was all." }],
  ),
  {
    name: "clerk",
    message: "",
    description: "what the clerk does",
    matches: ({ system }) => system.includes(CLERK),
    steps: [() => [{ call: "send_letter", input: { to: "Ines" } }], () => [{ say: "It is sent." }]],
  },
  {
    name: "helper",
    message: "",
    description: "what the helpers do",
    matches: ({ system }) => system.includes(HELPER),
    steps: [
      ({ message }) => [lookUp(message.includes("owls") ? "owls" : "bats")],
      ({ message }) => [{ say: `I read of ${message.includes("owls") ? "owls" : "bats"}.` }],
    ],
  },
];

export const CITED = ["Owls of the north. ".repeat(40).trim(), "Bats of the south. ".repeat(40).trim()] as const;

const tools = ({ pass }: Gates): Tool[] =>
  [
    defineTool({
      name: "look_up",
      description: "Looks something up.",
      input: z.object({ topic: z.string() }),
      doing: ({ topic }) => `Looking up ${topic}`,
      async run({ topic }, { signal }) {
        await pass(topic, signal);
        return `All about ${topic}.`;
      },
    }),
    defineTool({
      name: "open_shelf",
      description: "Opens a shelf.",
      input: z.object({ shelf: z.string() }),
      run: ({ shelf }) => toolResult(`There is no shelf ${shelf}.`, { isError: true }),
    }),
    defineTool({
      name: "search_library",
      description: "Searches the library.",
      input: z.object({ query: z.string() }),
      run(_, { cite }) {
        cite({ title: "On owls", url: "https://library.example/owls", text: CITED[0] });
        cite({ title: "On bats", url: "https://library.example/bats", text: CITED[1] });
        return "2 books";
      },
    }),
    defineTool({
      name: "tidy_up",
      description: "Tidies a room.",
      input: z.object({ room: z.string() }),
      run: async ({ room }, { confirm }) =>
        (await confirm({ title: `Tidy the ${room}?`, message: "What lies around is put away." }))
          ? `the ${room} is tidy`
          : `the ${room} stays as it is`,
    }),
    defineTool({
      name: "send_letter",
      description: "Sends a letter.",
      input: z.object({ to: z.string() }),
      approval: "always",
      run: ({ to }) => `The letter to ${to} is on its way.`,
    }),
    defineTool({
      name: "ask_name",
      description: "Asks for a name.",
      input: z.object({}),
      run: async (_, { ask }) => (await ask({ title: "Who are you?", message: "Your name, please." })) ?? "stranger",
    }),
    defineTool({
      name: "ask_colour",
      description: "Asks for a colour.",
      input: z.object({}),
      run: async (_, { ask }) =>
        (await ask({ title: "Which colour?", options: [{ value: "red" }, { value: "blue", label: "Blue" }] })) ??
        "grey",
    }),
    defineTool({
      name: "read_all",
      description: "Reads everything.",
      input: z.object({}),
      run: () =>
        Array.from({ length: 1000 }, (_, index) => `Line ${index} of the whole book, as it stands.`).join("\n"),
    }),
    defineTool({
      name: "list_documents",
      description: "Lists what the user attached.",
      input: z.object({}),
      run: (_, { files }) =>
        files.map(({ name, data = "" }) => `${name} (${Buffer.from(data, "base64").length} bytes)`).join(", ") ||
        "none",
    }),
    defineTool({
      name: "show_all",
      description: "Shows all that a tool can show.",
      input: z.object({}),
      async run(_, { status, file, embed, notify, data, signal }) {
        status("Showing all of it");
        notify("A notice from the tool");
        data("todos", [
          { id: "1", text: "Read", status: "done" },
          { id: "2", text: "Write", status: "active" },
        ]);
        data("title", "Birds of the night");
        data("tags", ["birds"]);
        await file({ name: "owls.txt", mediaType: "text/plain", bytes: "Owls." });
        embed({ title: "A page", html: "<h1 id=inside style='height: 400px'>Embedded</h1>" });
        data("follow-ups", ["And by day?"]);
        await pass("all", signal);
        return "shown";
      },
    }),
  ] as Tool[];

/** An agent with a scripted model and tools that wait for the test. */
export const storyteller = (gates: Gates, speed: number): Source => {
  const all = tools(gates);
  return agent({
    name: "storyteller",
    description: "Plays one story for each thing that a page must show.",
    model: demo({ speed, stories }),
    instructions: "You tell of the night.",
    tools: all,
    agents: {
      helper: {
        description: "reads one book",
        instructions: HELPER,
        tools: all.filter(({ name }) => name === "look_up"),
      },
      clerk: {
        description: "sends letters",
        instructions: CLERK,
        tools: all.filter(({ name }) => name === "send_letter"),
      },
    },
  });
};
