import { RICH_TEXT } from "./rich-text.ts";
import { sample } from "./sample.ts";
import { type Beat, type DemoStory, type Turn, withItsTools } from "./story.ts";

const story = (
  name: string,
  pattern: RegExp,
  message: string,
  description: string,
  ...steps: ((turn: Turn) => readonly Beat[])[]
): DemoStory => withItsTools({ name, message, description, matches: (turn) => pattern.test(turn.message), steps });

const research = (task: string): Beat => ({ call: "task", input: { agent: "researcher", task } });

/** Tools of the demo agent. Any other tool belongs to the client. */
const OWN_TOOLS = new Set([
  "search_notes",
  "calculate",
  "weather_lookup",
  "run_checks",
  "send_report",
  "ask_focus",
  "watch_deploy",
  "task",
]);

/** Matches only for the demo agent: a tool that is not one of its own is then certainly the client's. */
const clientRun: DemoStory = {
  ...story(
    "client-run tool",
    /\bclient\b/i,
    "Use a client-run tool",
    "a tool that the client provides and runs; the run ends and waits for its result",
    ({ tools }) => {
      const [name, schema] = [...tools].find(([tool]) => !OWN_TOOLS.has(tool)) ?? [];
      if (name === undefined) {
        return [
          {
            say: "Your request included no tool, so I called none. On Runcast's page, add one in Settings → Browser tools; a program sends its tools in `tools`. Then ask again: I'll call one of them, and the run will end and wait for its result.",
          },
        ];
      }
      return [{ say: "Your client runs this tool. " }, { call: name, input: sample(schema ?? {}) }];
    },
    ({ results }) => results.slice(-1).map(({ text }) => ({ say: `Your client answered: ${text}` })),
  ),
  matches: ({ message, tools }) =>
    /\bclient\b/i.test(message) && (tools.size === 0 || [...OWN_TOOLS].every((tool) => tools.has(tool))),
};

/** The stories of `demo`, one for each thing that can happen in a run. The first one whose pattern matches is played. */
export const stories: readonly DemoStory[] = [
  story(
    "nested",
    /\bnest|three deep|\bdeep\b/i,
    "Show sub-agents, nested three deep",
    "a sub-agent that starts a sub-agent that starts a sub-agent",
    () => [
      { say: "Let me dig into this. " },
      research("Trace the failing upload tests to the source. Why do they fail?"),
    ],
    ({ resultsOf }) => [
      { say: `That took sub-agents nested three deep. ${resultsOf("task")[0] ?? "They found nothing."}` },
    ],
  ),
  story(
    "sub-agents",
    /sub-?agents?|\bagents\b/i,
    "Start three sub-agents in parallel",
    "three sub-agents that work at the same time",
    () => [
      { say: "I'll start one researcher per topic: " },
      research("What do the notes say about the state of the tests?"),
      research("What do the notes say about dependencies?"),
      research("What do the notes say about build times?"),
    ],
    ({ resultsOf }) => [
      {
        say: `All three are back:\n\n${resultsOf("task")
          .map((text) => `- ${text}`)
          .join("\n")}`,
      },
    ],
  ),
  story(
    "approval",
    /\bapprov|\bsend\b/i,
    "Send the report, but ask for my approval first",
    "a call that waits for approval and lets you edit its arguments",
    () => [
      { say: "The report is short. Please review it before it goes out. You can edit it, too. " },
      {
        call: "send_report",
        input: {
          to: "ines@lantern.example",
          subject: "Lantern is nearly ready",
          body: "409 of 412 tests pass. The upload tests still fail on Mondays.",
        },
      },
    ],
    ({ results }) => [
      { say: results[0]?.isError ? `Nothing was sent: ${results[0].text}` : `Done. ${results[0]?.text ?? ""}` },
    ],
  ),
  story(
    "question",
    /\bask me\b|\bquestion\b/i,
    "Ask me a question",
    "a tool that asks the user to choose",
    () => [{ call: "ask_focus", input: { question: "What should I look at first?" } }],
    ({ results }) => [
      { say: `${results[0]?.text ?? "There was no answer."} I would have picked the tests, but it's your call.` },
    ],
  ),
  story(
    "provider-run tool",
    /\bprovider\b|\bweb\b/i,
    "Search the web with a provider-run tool",
    "a tool that the model's provider runs itself, with citations",
    () => [
      {
        provider: "web_search",
        input: { query: "lantern release notes" },
        result: [{ title: "Lantern 3.0", url: "https://lantern.example/releases/3.0" }],
        takesMs: 1200,
      },
      { cite: { title: "Lantern 3.0", url: "https://lantern.example/releases/3.0" } },
      {
        say: "The provider ran the search and found the release notes for version 3.0. (This is scripted: nothing was really searched.)",
      },
    ],
  ),
  clientRun,
  story(
    "tools in parallel",
    /\bparallel\b|\btwo tools\b/i,
    "Use two tools in parallel",
    "two calls in one step that end independently",
    () => [
      { say: "I'll run both at once: " },
      { call: "search_notes", input: { query: "build times cache" } },
      { call: "calculate", input: { expression: "94 - 61" } },
    ],
    () => [{ say: "A clean build takes 94 seconds. Without type checking, it would take 33." }],
  ),
  story(
    "failing tool",
    /\bfail/i,
    "Show me a failing tool",
    "a call that ends with an error, and a model that continues",
    () => [{ say: "Let me check the weather. " }, { call: "weather_lookup", input: { city: "Lisbon" } }],
    ({ results }) => [
      { say: `That didn't work: ${results[0]?.text ?? "no reason given"} You could look out the window instead.` },
    ],
  ),
  story(
    "long",
    /\blong\b|\bchecks?\b|\bprogress\b/i,
    "Run the checks",
    "a tool that takes several seconds, with progress and live output",
    () => [{ say: "Running all checks. Watch the output below. " }, { call: "run_checks", input: { suite: "full" } }],
    ({ resultsOf }) => [
      {
        say: `${resultsOf("run_checks")[0] ?? "The checks did not finish."} Mara owns uploads, so I'd let her know.`,
      },
    ],
  ),
  story(
    "retry",
    /\bretry|\bretries\b|rate.?limit|\b429\b/i,
    "Retry after a rate limit",
    "a model request that is rate-limited first and then succeeds",
    () => [
      { fail: { status: 429, message: "Too many requests (scripted)", retryMs: 1500, once: true } },
      { say: "The first request hit a rate limit. The second one succeeded, and nothing was lost." },
    ],
  ),
  story(
    "cancel",
    /\bcancel|\bslow\b|\bstop\b/i,
    "Start something slow that I can stop",
    "a two-minute call that you can cancel on its own or with the run",
    () => [
      { say: "I'll watch the deployment for two minutes. You can stop the call or the whole run. " },
      { call: "watch_deploy", input: { service: "lantern-web" } },
    ],
    ({ results }) => [
      { say: results[0]?.isError ? `Stopped. ${results[0].text}` : (results[0]?.text ?? "Nothing was watched.") },
    ],
  ),
  story("thinking", /\bthink/i, "Think hard about the release", "reasoning, separate from the answer", () => [
    {
      think:
        "Two things block the release: the upload tests and the guide. The tests fail only on Mondays. A hard-coded date in a test is a quick fix, an hour at most. The guide is more work, but it can ship a day later without hurting anyone. So the order is clear.",
    },
    { say: "Fix the three upload tests today, release on Thursday, and publish the new guide on Friday." },
  ]),
  story(
    "markdown",
    /\bmarkdown\b|\bformat/i,
    "Show me rich Markdown",
    "an answer with a table, code, formulas, a task list, a quote and an image",
    () => [{ say: RICH_TEXT }],
  ),
  story(
    "answer",
    /\banswer\b|\bscripted\b|\breal\b|who are you|what are you|what is this/i,
    "Just answer: are you real?",
    "text, and nothing else",
    () => [{ say: ANSWER }],
  ),
];

const ANSWER = [
  "No, I'm a **scripted demo**. My words are scripted, so you can watch a run without an API key.\n",
  "Everything else is real: tools run, calls fail, sub-agents start, and each event is stored before it is shown.\n",
  "Try “Start three sub-agents in parallel”, or reload this page in the middle of a run.",
].join("\n");
