import type { Beat, DemoStory } from "runcast/models/demo";
import { type Source, search } from "./library.ts";

export const LEAD =
  "You lead research. Write todos, give each part of the question to a researcher (several at once), read their findings, and write report.md with numbered sources. Answer with the report.";
export const RESEARCHER =
  "You research one question. Search, write what you found with its sources to findings/<topic>.md, and answer in two sentences with the addresses of your sources.";

const TOPICS = [
  { topic: "resuming", question: "How does a browser continue an event stream after its connection was lost?" },
  { topic: "log", question: "Why keep an append-only log with a position for each reader?" },
  { topic: "backpressure", question: "What happens to memory when a reader cannot keep up with its streams?" },
] as const;

type Status = "pending" | "active" | "done";
const plan = (research: Status, report: Status): Beat => ({
  call: "write_todos",
  input: {
    todos: [
      ...TOPICS.map(({ topic, question }) => ({ id: topic, text: question, status: research })),
      { id: "report", text: "Write the report", status: report },
    ],
  },
});

/** The sources of all topics, without duplicates. Their position in the list is their number. */
const sources: readonly Source[] = [...new Set(TOPICS.flatMap(({ question }) => search(question)))];
const numbers = (question: string): string =>
  search(question)
    .map((source) => `[${sources.indexOf(source) + 1}]`)
    .join("");

const report = [
  "# Streams that can be continued\n",
  ...TOPICS.map(({ question }) => `**${question}** ${search(question)[0]?.text ?? ""} ${numbers(question)}\n`),
  "## Sources\n",
  ...sources.map(({ title, url }, index) => `${index + 1}. [${title}](${url})`),
  "",
].join("\n");

const lead: DemoStory = {
  name: "research",
  message: "How can a stream survive a lost connection?",
  description: "a plan, three researchers at once, shared files, and a report with citations",
  matches: ({ system }) => system.includes(LEAD),
  steps: [
    () => [
      {
        think: "Three questions hide in this one. They do not depend on each other, so they can be researched at once.",
      },
      { say: "I'll split this into three questions. " },
      plan("pending", "pending"),
    ],
    () => [
      plan("active", "pending"),
      ...TOPICS.map(({ question }): Beat => ({ call: "task", input: { agent: "researcher", task: question } })),
    ],
    () => [
      plan("done", "active"),
      ...TOPICS.map(({ topic }): Beat => ({ call: "read_file", input: { path: `findings/${topic}.md` } })),
    ],
    () => [{ call: "write_file", input: { path: "report.md", content: report } }, plan("done", "done")],
    () => [...sources.map(({ title, url }): Beat => ({ cite: { title, url } })), { say: report }],
  ],
};

const researcher: DemoStory = {
  name: "researcher",
  message: "",
  description: "",
  matches: ({ system }) => system.includes(RESEARCHER),
  steps: [
    ({ message }) => [{ call: "search_library", input: { query: message } }],
    ({ message, resultsOf }) => [
      { think: "These will do. I'll keep them for the report." },
      { call: "write_file", input: { path: fileFor(message), content: resultsOf("search_library")[0] ?? "" } },
    ],
    ({ message }) => {
      const found = search(message);
      const addresses = found.map(({ url }) => url).join(", ");
      return [{ say: found[0] ? `${found[0].text} (${addresses})` : "I found nothing." }];
    },
  ],
};

const fileFor = (message: string): string =>
  `findings/${TOPICS.find(({ question }) => question === message)?.topic ?? "other"}.md`;

export const stories: readonly DemoStory[] = [lead, researcher];
