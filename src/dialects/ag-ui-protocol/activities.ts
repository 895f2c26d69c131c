import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { EventOf, Json } from "../../events.ts";
import { frame, type MessageId, tagOf } from "./frames.ts";

/** The prefix of this dialect's activities: `runcast.tool`, `runcast.status` and so on. */
export const ACTIVITY = "runcast.";

/**
 * Events outside the conversation, as activities. Clients with a renderer show them, others ignore them, and no
 * client sends them back.
 */
export interface Activities {
  /** The progress of a call: notes, output and text of its tool. */
  progress(event: EventOf<"tool-progress" | "tool-output-delta">, name: string | undefined): readonly Frame[];
  /** Text of the tool itself, which as a message would look like the answer. */
  text(call: string, agent: string | undefined, delta: string, name: string | undefined): readonly Frame[];
  status(agent: string | undefined, text: string, call?: string): readonly Frame[];
  mark(event: EventOf<"citation" | "file" | "embed" | "notice">): readonly Frame[];
}

export const createActivities = (messageId: () => MessageId, link: EncodeOptions["link"]): Activities => {
  const calls = new Set<string>();
  let marks = 0;

  const snapshot = (kind: string, id: string, agent: string | undefined, content: object): Frame =>
    frame("ACTIVITY_SNAPSHOT", {
      messageId: messageId()("activity", id),
      activityType: ACTIVITY + kind,
      content,
      ...tagOf(agent),
    });

  /** Updates a call's activity. Text is appended to a list, so a frame's cost depends only on its delta. */
  const change = (
    call: string,
    agent: string | undefined,
    name: string | undefined,
    patch: object[],
  ): readonly Frame[] => {
    const start = calls.has(call)
      ? []
      : [
          snapshot("tool", callActivity(call), agent, {
            call,
            ...(name !== undefined && { name }),
            output: [],
            text: [],
          }),
        ];
    calls.add(call);
    const delta = { messageId: messageId()("activity", callActivity(call)), activityType: `${ACTIVITY}tool`, patch };
    return [...start, frame("ACTIVITY_DELTA", delta)];
  };

  return {
    progress(event, name) {
      const { call, agent } = event;
      if (event.type === "tool-output-delta")
        return change(call, agent, name, [{ op: "add", path: "/output/-", value: outputOf(event) }]);
      const { note, fraction, value } = event;
      return change(call, agent, name, [
        { op: "add", path: "/progress", value: progressOf({ note, fraction, value }) },
      ]);
    },
    text: (call, agent, delta, name) =>
      delta === "" ? [] : change(call, agent, name, [{ op: "add", path: "/text/-", value: delta }]),
    status: (agent, text, call) => [
      snapshot("status", `status ${agent ?? ""}`, agent, { text, ...(call !== undefined && { call }) }),
    ],
    mark(event) {
      const { type, agent, meta: _meta, ...content } = event;
      const id = type === "embed" ? `embed ${event.embed}` : `${type} ${++marks}`;
      const { file, part } = content as { file?: string; part?: string };
      return [
        snapshot(type, id, agent, {
          ...content,
          ...(file !== undefined && { url: link({ file }) }),
          ...(part !== undefined && { part: messageId()("part", part) }),
        }),
      ];
    },
  };
};

/** The id of a call's activity. */
export const callActivity = (call: string): string => `call ${call}`;

const outputOf = ({ stream, delta }: EventOf<"tool-output-delta">) => ({ stream, text: delta });

const progressOf = (fields: { note: string | undefined; fraction: number | undefined; value: Json | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
