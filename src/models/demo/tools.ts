import { z } from "zod";
import { type Tool, defineTool, toolResult } from "../../tool.ts";
import { arithmetic } from "./arithmetic.ts";
import { notes, searchNotes } from "./notes.ts";

/** The demo agent's tools. Each one really works, on a small built-in data set. `speed` is the model's speed. */
export const demoTools = ({ speed = 1 }: { readonly speed?: number } = {}): Tool[] => {
  const work = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, ms / speed);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });

  const searchNotesTool = defineTool({
    name: "search_notes",
    description: "Searches the notes about the Lantern project.",
    input: z.object({ query: z.string().min(1) }),
    repeatable: true,
    doing: ({ query }) => `Searching notes for “${query}”…`,
    async run({ query }, { cite, signal }) {
      await work(900, signal);
      const found = searchNotes(query);
      for (const { title, text } of found) cite({ title, text });
      if (found.length === 0)
        return `No notes about “${query}”. There are notes about ${notes.map(({ id }) => id).join(", ")}.`;
      return found.map(({ title, text }) => `${title}: ${text}`).join("\n");
    },
  });

  const calculate = defineTool({
    name: "calculate",
    description: "Evaluates an expression of numbers, + - * / % ^ and parentheses.",
    input: z.object({ expression: z.string().min(1).max(500) }),
    repeatable: true,
    async run({ expression }, { signal }) {
      await work(400, signal);
      return { expression, result: arithmetic(expression) };
    },
  });

  const weatherLookup = defineTool({
    name: "weather_lookup",
    description: "Looks up today's weather. Fails in this demo, which has no network.",
    input: z.object({ city: z.string().min(1) }),
    doing: ({ city }) => `Looking up the weather in ${city}…`,
    async run({ city }, { signal }) {
      await work(700, signal);
      throw Object.assign(new Error(`Could not get the weather in ${city}: this demo has no network.`), {
        code: "no-network",
      });
    },
  });

  const runChecks = defineTool({
    name: "run_checks",
    description: "Runs Lantern's checks, with live output.",
    input: z.object({ suite: z.enum(["quick", "full"]) }),
    doing: ({ suite }) => `Running the ${suite} checks…`,
    async run({ suite }, { output, progress, notify, signal }) {
      const names = suite === "quick" ? QUICK : [...QUICK, ...SLOW];
      let failed = 0;
      for (const [index, name] of names.entries()) {
        progress({ fraction: index / names.length, note: name });
        output(`▸ ${name}\n`);
        await work(500, signal);
        if (name === "upload tests") {
          failed += 1;
          output("  upload.test.ts: expected 2024-01-09, received 2024-01-08 (a Monday)\n", "stderr");
        } else output("  ok\n");
      }
      progress({ fraction: 1, note: "finished" });
      notify(`${names.length - failed} of ${names.length} checks passed`, failed > 0 ? "warning" : "success");
      return toolResult(
        `${names.length - failed} of ${names.length} checks passed${failed > 0 ? "; the upload tests failed" : ""}.`,
        {
          value: { checks: names.length, failed },
        },
      );
    },
  });

  const sendReport = defineTool({
    name: "send_report",
    description: "Puts a report in the outbox. Requires approval.",
    input: z.object({ to: z.string().min(1), subject: z.string().min(1), body: z.string() }),
    approval: "always",
    async run({ to, subject, body }, { file, signal }) {
      await work(500, signal);
      await file({ name: "report.md", mediaType: "text/markdown", bytes: `# ${subject}\n\nTo: ${to}\n\n${body}\n` });
      return `The report for ${to} is in the outbox as report.md. (The demo doesn't send it.)`;
    },
  });

  const askFocus = defineTool({
    name: "ask_focus",
    description: "Asks the user what to look at first.",
    input: z.object({ question: z.string().min(1) }),
    async run({ question }, { ask }) {
      const options = notes.slice(0, 3).map(({ id, title, text }) => ({ value: id, label: title, description: text }));
      const chosen = await ask({ title: question, options });
      return chosen === undefined ? "There was no answer." : `The user chose ${JSON.stringify(chosen)}.`;
    },
  });

  const watchDeploy = defineTool({
    name: "watch_deploy",
    description: "Watches a deployment for two minutes. You can stop it at any time.",
    input: z.object({ service: z.string().min(1) }),
    doing: ({ service }) => `Watching ${service} (you can stop this at any time)…`,
    async run({ service }, { progress, signal }) {
      for (let second = 0; second < WATCH_SECONDS; second += 1) {
        progress({ fraction: second / WATCH_SECONDS, note: `${second} s: ${service} is healthy` });
        await work(1000, signal);
      }
      return `${service} was healthy for ${WATCH_SECONDS} seconds.`;
    },
  });

  return [searchNotesTool, calculate, weatherLookup, runChecks, sendReport, askFocus, watchDeploy] as Tool[];
};

const QUICK = ["format", "lint", "types"];
const SLOW = ["unit tests", "upload tests", "guide links", "licenses"];
const WATCH_SECONDS = 120;
