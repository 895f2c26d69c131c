import { ClientError, type Connection, createClient, createRunId, defaultBackoff } from "../client.ts";
import type { Problem } from "../events.ts";
import type { AskNode } from "../state.ts";
import { describeAsk, describeConnection, describeRun, type FileLimits } from "../view.ts";
import { askServer } from "./ask-server.ts";
import { attach } from "./attach.ts";
import { hasColor } from "./color.ts";
import { type CliCommand, CommandError, UsageError } from "./command.ts";
import { keyHeader } from "./key-header.ts";
import { noServerText } from "./no-server-text.ts";
import { refusalText } from "./refusal-text.ts";
import { type RunAddress, parseRunAddress } from "./target.ts";
import { oneLine } from "./terminal-text.ts";
import { writeCommand } from "../wire.ts";
import { createViewer } from "./viewer.ts";
import { messageOf } from "../message-of.ts";

export const watch: CliCommand = {
  name: "watch",
  usage: "<url|run>",
  positionals: [1, 1],
  summary: "Shows a run live: steps, text, thinking, tools, sub-agents and questions.",
  details: [
    "A run is http://host:port/runs/<run>, or its id on RUNCAST_URL (default: http://127.0.0.1:4400). With a server's address and --message, starts a run and shows it.",
    "Exits with 0 if the run finished with a complete answer, and with 1 otherwise. Ctrl-C stops watching, not the run.",
  ].join("\n"),
  options: {
    message: { value: "text", help: "starts a run with this message" },
    file: { value: "path", help: "with --message: attaches an image, a PDF or a text file; can be repeated" },
    agent: { value: "name", help: "with --message: the agent to start (default: the server's default agent)" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
  },
  run: async ({ positionals: [what = ""], options, values, environment, directory }) => {
    const target = parseRunAddress(what, environment);
    const { message, agent, key = environment["RUNCAST_KEY"] } = options;
    if (message === undefined && target.run === undefined)
      throw new UsageError(`${what} does not name a run: use …/runs/<run>, or --message "…" to start one`);
    if (message !== undefined && target.run !== undefined)
      throw new UsageError(`--message starts a new run, but ${what} names an existing one: leave out one of them`);
    if (message?.trim() === "") throw new UsageError(`--message is empty: pass a message, such as --message "hello"`);
    const files = values?.["file"] ?? [];
    if (files.length > 0 && message === undefined)
      throw new UsageError(`--file needs --message "…": files are sent with the message that starts a run`);
    const { base, token, run } = target;
    let hasBeenLive = false;
    const client = createClient({
      url: base,
      // Once a stream has been live, keep retrying. Before that, the problem is probably permanent.
      backoff: (attempt, why) => (hasBeenLive || attempt <= FIRST_TRIES ? defaultBackoff(attempt, why) : undefined),
      ...(key !== undefined && { key }),
      ...(token !== undefined && { token }),
    });
    const stop = new AbortController();
    const onEntry = (entry: Parameters<typeof viewer.add>[0]) => viewer.add(entry);
    const follow = { onEntry, signal: stop.signal };
    const attached = async (id: string) => {
      const { limits } = (await (await askServer(target, "/agents", { key })).json()) as { limits: FileLimits };
      return await attach(client, id, files, { directory, limits });
    };
    const asked = async () => {
      const id = createRunId();
      const text = { type: "text" as const, text: message ?? "" };
      const content = [...(files.length > 0 ? await attached(id) : []), text];
      return { run: id, messages: [{ role: "user" as const, content }], ...(agent !== undefined && { agent }) };
    };
    const refused = (error: unknown) => {
      throw error instanceof CommandError ? error : new CommandError(failureText(error, target), { cause: error });
    };
    const handle =
      message === undefined ? client.follow(run!, follow) : client.start(await asked().catch(refused), follow);
    const viewer = createViewer({
      output: process.stdout,
      color: hasColor(process.stdout, environment),
      state: handle.state,
      howToAnswer: (ask) =>
        howToAnswer(target, handle.run, ask, key === undefined ? "" : `${keyHeader([key], environment)} `),
    });
    let shown = "";
    const notify = (connection: Connection) => {
      hasBeenLive ||= connection.status === "live";
      const text = connectionText(connection, { target, hasBeenLive, isTerminal: process.stdout.isTTY });
      if (text !== shown) viewer.know({ text: (shown = text), isLive: connection.status !== "reconnecting" });
    };
    handle.subscribe(notify);
    notify(handle.connection);
    const interrupt = () => stop.abort();
    process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
    try {
      await handle.finished;
      return describeRun(handle.state).hasSucceeded ? 0 : 1;
    } catch (error) {
      if (!stop.signal.aborted) throw new CommandError(failureText(error, target), { cause: error });
      viewer.know({ text: "stopped watching; the run continues", isLive: false });
      return 130;
    } finally {
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
      viewer.end();
    }
  },
};

const FIRST_TRIES = 2;

const failureText = (error: unknown, target: RunAddress): string => {
  if (!(error instanceof ClientError)) return oneLine(messageOf(error));
  const { code, message, hint } = error;
  if (code === "network") return noServerText(target, message);
  return refusalText({ code, message, ...(hint !== undefined && { hint }) }, target);
};

interface Circumstances {
  readonly target: RunAddress;
  readonly hasBeenLive: boolean;
  readonly isTerminal: boolean;
}

/** The connection status. A terminal shows more, because it can redraw the line. */
const connectionText = (connection: Connection, { target, hasBeenLive, isTerminal }: Circumstances): string => {
  const problemText = (problem: Problem) => refusalText(problem, target);
  const { text, notice } = describeConnection(connection, Date.now(), { hasBeenLive, problemText });
  if (connection.status === "reconnecting") return isTerminal ? `${notice}, attempt ${connection.attempt}` : notice;
  const goesOn = connection.status === "connecting" || connection.status === "live";
  return isTerminal && goesOn ? text : notice;
};

/** Escapes an encoded path for the shell. The user may paste it, and its ids come from others. */
const pasteable = (path: string): string =>
  path.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const howToAnswer = ({ base, token }: RunAddress, run: string, ask: AskNode, access: string): string[] => {
  if (token !== undefined) return ["this link is read-only; to answer, use a key"];
  const answer = describeAsk(ask).choices[0]?.answer ?? { value: "…" };
  const { path, body = "" } = writeCommand({
    do: "answer",
    run: run.toWellFormed(),
    ask: ask.id.toWellFormed(),
    answer,
  });
  return [
    `answer on ${base}/?run=${encodeURIComponent(run)} or with:`,
    `curl ${base}${pasteable(path)} ${access}-H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`,
  ].map(oneLine);
};
