import { type DemoStory, type Turn, withItsTools } from "./story.ts";

/** The stories of the demo's sub-agents, matched by their instructions. */
const role = (name: string, steps: DemoStory["steps"]): DemoStory => ({
  name,
  message: "",
  description: "",
  matches: ({ system }) => system.includes(`You are the ${name} of the scripted demo`),
  steps,
});

const found = ({ resultsOf }: Turn): string => resultsOf("search_notes")[0]?.split("\n")[0] ?? "I found nothing.";
const isDeep = ({ message }: Turn): boolean => message.includes("to the source");

export const roles: readonly DemoStory[] = [
  role("researcher", [
    (turn) =>
      isDeep(turn)
        ? [
            { say: "The notes only hint at the cause. I'll have the reader check the full page. " },
            {
              call: "task",
              input: {
                agent: "reader",
                task: "Read the note on the failing upload tests and trace them to the source.",
              },
            },
          ]
        : [{ think: "One search should be enough." }, { call: "search_notes", input: { query: turn.message } }],
    (turn) => [{ say: isDeep(turn) ? `The reader reports: ${turn.resultsOf("task")[0] ?? "nothing."}` : found(turn) }],
  ]),
  role("reader", [
    () => [{ call: "search_notes", input: { query: "upload tests Monday" } }],
    () => [
      { say: "I found the page. It is long, so I'll ask the summarizer for one sentence. " },
      { call: "task", input: { agent: "summarizer", task: "Say in one sentence why the upload tests fail." } },
    ],
    (turn) => [{ say: turn.resultsOf("task")[0] ?? "I got no summary." }],
  ]),
  role("summarizer", [
    () => [
      { think: "What percentage is three out of 412?" },
      { call: "calculate", input: { expression: "3 / 412 * 100" } },
    ],
    () => [{ say: "Three of 412 tests (0.7%) fail, and only on Mondays, because they depend on a hard-coded date." }],
  ]),
];

/** A story for messages that match no other: a bit of everything. */
export const fallback: DemoStory = withItsTools({
  name: "everything",
  message: "",
  description: "thinking, text, two tools in parallel, one that fails, a sub-agent, and an answer",
  matches: () => true,
  steps: [
    () => [
      {
        think:
          "I'm a script, so I can't really answer this. But I can show what a run looks like: I'll search the notes and do some math at the same time.",
      },
      { say: "Let me see how Lantern is doing. I can do two things at once: " },
      { call: "search_notes", input: { query: "tests release" } },
      { call: "calculate", input: { expression: "409 / 412 * 100" } },
    ],
    () => [
      {
        say: "That's the test status. Next, I'll check the weather for the release party while a sub-agent reads up on the guide. ",
      },
      { call: "weather_lookup", input: { city: "Lisbon" } },
      {
        call: "task",
        input: { agent: "researcher", task: "What do the notes say about the documentation and the guide?" },
      },
    ],
    ({ message, results, resultsOf }) => [
      {
        say: [
          `You wrote: “${clipped(message)}”. This is a **scripted demo**, so here is a scripted answer:\n`,
          "- 409 of 412 tests pass (99.3%). The other three fail on Mondays.",
          `- ${resultsOf("task")[0] ?? "The sub-agent found nothing."}`,
          "- I couldn't get the weather because the demo has no network. That call failed on purpose.",
          results.filter(({ isError }) => isError).length === 1
            ? "\nEvery tool above really ran. Only my words are scripted."
            : "\nMy words are scripted, so they do not reflect the calls above that were stopped.",
        ].join("\n"),
      },
    ],
  ],
});

const clipped = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
