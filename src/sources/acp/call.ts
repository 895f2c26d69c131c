import type { Content, Event, EventOf, Json, Problem } from "../../events.ts";
import { type CallContent, type Exit, contentOf, exitOf } from "./call-content.ts";
import { LiveOutput } from "./live-output.ts";
import { isEmpty, jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { AgentWriter } from "./agent-writer.ts";
import { type Edit, unifiedDiff } from "./unified-diff.ts";
import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";

/** How to display paths, and where in its file an edit begins. */
export interface Workspace {
  readonly relative: (path: string) => string;
  readonly lineOf: (path: string, text: string) => number | undefined;
}

type Outcome = EventOf<"tool-end">["outcome"];

const MAX_LOCATIONS = 50;
const LONGEST_PROBLEM = 2000;

/**
 * One tool call. The agent runs it, so it counts as run by the provider: the log then needs no `tool-execute` if the
 * agent did not report when execution began, and no view shows a duration that was not measured.
 */
export class Call {
  readonly id: string;
  readonly key: string;
  readonly writer: AgentWriter;
  readonly output = new LiveOutput();
  /** Asks that are waiting for an answer. */
  readonly asks = new Set<string>();
  /** An approval is in the log without an allow. The grammar then permits no tool-execute, even if the agent proceeds. */
  isBarred = false;
  state: "pending" | "executing" | "ended" = "pending";
  /** Reported as in progress. That does not prove execution, because several agents ask for permission after it. */
  isHeld = false;
  ticks = 0;
  readonly name: string;
  kind: string | undefined;
  exit: Exit | undefined;
  content: CallContent = contentOf(undefined);
  readonly #workspace: Workspace;
  #title: string | undefined;
  #input: Json | undefined;
  #argumentText = "";
  #isReady = false;
  #locations: readonly Json[] = [];
  #rawOutput: unknown;

  constructor(ids: { readonly id: string; readonly key: string }, writer: AgentWriter, fields: Fields, on: Workspace) {
    this.id = ids.id;
    this.key = ids.key;
    this.writer = writer;
    this.#workspace = on;
    this.name = nameOf(fields, ids.key);
    const title = lineOf(fields["title"]);
    this.#title = title === this.name ? undefined : title;
  }

  /** The latest title from the agent. */
  get title(): string {
    return this.#title ?? this.name;
  }

  get input(): Json | undefined {
    return this.#input ?? parseJson(this.#argumentText);
  }

  start(): Event[] {
    const title = this.#title;
    return [
      ...this.writer.startCall(),
      this.event({
        type: "tool-start",
        call: this.id,
        name: this.name,
        ...(title !== undefined && { title }),
        provider: true,
        meta: { toolCallId: this.key },
      }),
    ];
  }

  /** Applies an update. Absent fields keep their values. */
  absorb(fields: Fields): Event[] {
    this.kind = textOf(fields["kind"]) ?? this.kind;
    if (!isEmpty(fields["rawInput"])) this.#input = jsonOf(fields["rawInput"]);
    if (fields["rawOutput"] !== undefined) this.#rawOutput = fields["rawOutput"];
    if (Array.isArray(fields["locations"]) && fields["locations"].length > 0)
      this.#locations = locationsOf(fields["locations"], this.#workspace);
    this.exit = exitOf(fields["_meta"], fields["rawOutput"]) ?? this.exit;
    if (fields["content"] !== undefined) this.#absorbContent(contentOf(fields["content"]), fields);
    const title = lineOf(fields["title"]);
    if (title === undefined || title === this.title) return [];
    this.#title = title;
    return [this.event({ type: "status", call: this.id, text: title })];
  }

  /** Some agents stream the arguments as content, which is not a result. Some show an edit only before they make it. */
  #absorbContent(content: CallContent, { status }: Fields): void {
    const { text } = content;
    const isArguments =
      status !== "completed" &&
      status !== "failed" &&
      this.output.isEmpty &&
      text.startsWith("{") &&
      text.startsWith(this.#argumentText);
    if (isArguments) this.#argumentText = text;
    const edits = content.edits.length > 0 ? content.edits : this.content.edits;
    this.content = { ...content, edits, ...(isArguments && { text: "" }) };
  }

  /** Ends the arguments. The agent will not report more of them. */
  ready(): Event[] {
    if (this.#isReady) return [];
    this.#isReady = true;
    const { input } = this;
    return [this.event({ type: "tool-input-end", call: this.id, ...(input !== undefined && { input }) })];
  }

  execute(): Event[] {
    if (this.state !== "pending" || this.isBarred) return [];
    this.state = "executing";
    this.isHeld = false;
    return [...this.ready(), this.event({ type: "tool-execute", call: this.id })];
  }

  end(outcome: Outcome, error?: Problem): Event[] {
    if (this.state === "ended") return [];
    const withdrawn = [...this.asks].map((ask) => this.event({ type: "ask-end", ask, outcome: "cancelled" }));
    const events = [...withdrawn, ...this.ready(), ...(outcome === "ok" ? this.#files() : [])];
    const content = outcome === "denied" ? [] : this.#results(outcome, error);
    const value = this.#facts();
    events.push(
      this.event({
        type: "tool-end",
        call: this.id,
        outcome,
        ...(content.length > 0 && { content }),
        ...(value && { value }),
        ...(error && { error }),
      }),
    );
    this.state = "ended";
    this.asks.clear();
    this.output.clear();
    this.content = contentOf(undefined);
    this.#input = this.#rawOutput = undefined;
    this.#argumentText = "";
    this.writer.endCall();
    return events;
  }

  /** The error of a failed call. */
  problem(): Problem {
    const { exitCode, signal } = this.exit ?? {};
    if (signal) return { code: "exit", message: `The command was ended by ${signal}.` };
    if (exitCode) return { code: "exit", message: `The command ended with exit code ${exitCode}.` };
    const text = this.content.text.trim() || (textOf(this.#rawOutput) ?? "").trim();
    return { code: "tool-failed", message: text.slice(0, LONGEST_PROBLEM) || "The tool failed." };
  }

  /** The edits that it makes or proposes, as unified diffs. */
  diffs(): readonly { readonly path: string; readonly diff: string }[] {
    return this.content.edits.map((edit) => {
      const path = this.#workspace.relative(edit.path);
      return { path, diff: unifiedDiff({ ...edit, path, line: this.#lineOf(edit) }) };
    });
  }

  #lineOf({ path, oldText, newText }: Edit): number | undefined {
    const { lineOf: find } = this.#workspace;
    return (oldText === null ? undefined : find(path, oldText)) ?? find(path, newText);
  }

  #files(): Event[] {
    return this.content.edits.map(({ path, oldText }) =>
      this.event({
        type: "file",
        call: this.id,
        name: this.#workspace.relative(path),
        change: oldText === null ? "created" : "changed",
      }),
    );
  }

  #results(outcome: Outcome, error: Problem | undefined): Content[] {
    const { text, links } = this.content;
    const shown = text || this.output.text || (isEmpty(this.#rawOutput) ? "" : this.#rawOutput);
    // An edit that was not made is not part of the result.
    const diffs = outcome === "ok" ? this.diffs() : [];
    const results: Content[] = [...diffs.map(({ diff }): Content => ({ type: "text", text: diff })), ...links];
    if (typeof shown !== "string") results.unshift({ type: "json", value: shown as Json });
    else if (shown !== "" && shown.trim() !== error?.message) results.unshift({ type: "text", text: shown });
    return results;
  }

  #facts(): Json | undefined {
    const locations = this.#locations.length > 0 ? [...this.#locations] : undefined;
    if (this.kind === undefined && !locations && !this.exit) return undefined;
    return { ...(this.kind !== undefined && { kind: this.kind }), ...(locations && { locations }), ...this.exit };
  }

  event(event: Event): Event {
    return this.writer.agent === undefined ? event : { ...event, agent: this.writer.agent };
  }
}

/** The name of the tool, if the agent reports one. Some agents send it only as the first title or as part of the id. */
const nameOf = ({ name, title, kind, _meta }: Fields, key: string): string => {
  const meta = fieldsOf(_meta);
  const claude = fieldsOf(meta["claudeCode"]);
  return (
    [name, claude["toolName"], meta["toolName"], meta["tool_name"]].map((one) => lineOf(one, 100)).find(Boolean) ??
    /^([a-z][a-z_]{1,60})__/i.exec(key)?.[1] ??
    /^[a-z][\w-]{0,60}$/i.exec(textOf(title) ?? "")?.[0] ??
    lineOf(kind, 100) ??
    "tool"
  );
};

const locationsOf = (value: unknown, { relative }: Workspace): readonly Json[] =>
  listOf(value)
    .slice(0, MAX_LOCATIONS)
    .flatMap((one): Json[] => {
      const { path, line } = fieldsOf(one);
      if (typeof path !== "string" || path === "") return [];
      return [{ path: relative(path), ...(typeof line === "number" && { line }) }];
    });
