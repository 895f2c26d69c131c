import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type AcpOptions, acp } from "../../src/sources/acp.ts";
import type { Source } from "../../src/source.ts";

const program = path.join(import.meta.dirname, "../fixtures/acp-agent.ts");

/** A directory that is removed after the test. */
export const folder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), "runcast-acp-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
};

/** A source whose agent plays a script. */
export const scripted = (script: object, options: Partial<AcpOptions> = {}): Source =>
  acp({
    command: [process.execPath, "--disable-warning=ExperimentalWarning", program, JSON.stringify(script)],
    cwd: folder(),
    sessions: false,
    ...options,
  });

export const text = (words: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
});
export const tool = (fields: object, kind: "tool_call" | "tool_call_update" = "tool_call_update") => ({
  update: { sessionUpdate: kind, toolCallId: "one", ...fields },
});
export const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "ever", name: "Yes, and do not ask again", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
