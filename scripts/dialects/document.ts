import type { Dialect } from "../../src/dialect.ts";
import { EVENT_TYPES, type EventType } from "../../src/events.ts";

/** docs/dialects.md: how each dialect encodes every event, and what its clients can do. */
export const dialectsDocument = (dialects: readonly Dialect[]): string => `# Dialects

How each dialect represents every event. \`npm run docs\` generates this page from what the dialects declare, and \`test/contracts/dialect.test.ts\` checks those declarations.

- **full**: all of it, in the family's own format.
- **extended**: some of it in the family's own format; all of it for clients that ask for extensions (\`Runcast-Extensions: 1\`).
- **lost**: nothing in the family's own format; all of it for clients that ask for extensions. The reasons are below.

| event | ${dialects.map(({ name }) => name).join(" | ")} |
|---|${"---|".repeat(dialects.length)}
${EVENT_TYPES.map((type) => `| \`${type}\` | ${dialects.map((dialect) => word(dialect, type)).join(" | ")} |`).join("\n")}

## What their clients can do

| dialect | starts at | resumes | stops | answers asks | heartbeat | merges deltas within |
|---|---|---|---|---|---|---|
${dialects.map(row).join("\n")}

## Try them

With a server on its default port, each of these commands shows a run as that family's clients get it:

${dialects.map(example).join("\n")}
## What is lost, and why

${dialects.map(losses).join("\n")}`;

const word = ({ coverage }: Dialect, type: EventType): string => {
  const covered = coverage[type];
  return typeof covered === "string" ? covered : "lost";
};

const row = (dialect: Dialect): string => {
  const { name, routes, disconnect, asks, heartbeat, windowMs } = dialect;
  const can = (does: string) => routes.some((route) => route.does === does);
  const starts = routes.filter(({ does }) => does === "start").map(({ method, path }) => `\`${method} ${path}\``);
  const stops = [
    ...(can("cancel") ? ["with a request"] : []),
    ...(disconnect === "cancel" ? ["by closing the connection"] : []),
  ];
  return `| ${[
    name,
    starts.join(", ") || "–",
    can("follow") ? "yes" : "no",
    stops.join(", ") || "no",
    ASKS[asks],
    `${heartbeat.everyMs / 1000} s`,
    windowMs === undefined ? "–" : `${windowMs} ms`,
  ].join(" | ")} |`;
};

const example = (dialect: Dialect): string => {
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  const { method, path, headers, body = "" } = dialect.write({ do: "start", request: { messages } });
  const options = [
    `curl -N -X ${method} http://127.0.0.1:4400${path}`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    `-d '${body}'`,
  ];
  return `**${dialect.name}**\n\n\`\`\`sh\n${options.join(" \\\n  ")}\n\`\`\`\n`;
};

const ASKS: Readonly<Record<Dialect["asks"], string>> = {
  inline: "while the run continues",
  "next-request": "with the next request",
  link: "through a link",
};

const losses = ({ name, coverage }: Dialect): string => {
  const reasons = Map.groupBy(
    EVENT_TYPES.filter((type) => typeof coverage[type] === "object"),
    (type) => (coverage[type] as { loses: string }).loses,
  );
  if (reasons.size === 0) return `**${name}**: nothing.\n`;
  const lines = [...reasons].map(([reason, types]) => `- ${types.map((type) => `\`${type}\``).join(", ")}: ${reason}`);
  return `**${name}**\n\n${lines.join("\n")}\n`;
};
