import { type Fields, fieldsOf } from "../../json.ts";
import type { Event, Json } from "../../events.ts";
import { ACTIVITY, callActivity } from "./activities.ts";
import { idOf } from "./fields.ts";
import { messageIdsOf } from "./frames.ts";
import type { Scopes } from "./scopes.ts";

/** Decodes an activity: Runcast's own into their original events, all others into data. */
export const activityEvents = (scopes: Scopes, type: string, fields: Fields): Event[] => {
  const name = idOf(fields["activityType"]);
  if (name === undefined) return [];
  const { of } = scopes.openOr(fields["subagentRunId"]);
  const id = idOf(fields["messageId"]);
  const isDelta = type === "ACTIVITY_DELTA";
  if (!name.startsWith(ACTIVITY)) {
    const value = isDelta ? { patch: fields["patch"] as Json } : { value: fields["content"] as Json };
    return [{ type: "data", ...of, name, ...(id !== undefined && { id }), ...value }];
  }
  const kind = name.slice(ACTIVITY.length);
  if (kind === "tool") return isDelta ? progressEvents(scopes, id ?? "", fields["patch"]) : [];
  const { call, part, url, ...rest } = fieldsOf(fields["content"]);
  const known = {
    ...rest,
    ...(scopes.hasSeen("call", call) && { call }),
    ...(scopes.hasSeen("part", part) && { part }),
    // The URL of bytes stored alongside the log is only for readers that cannot resolve `file`.
    ...(rest["file"] === undefined && url !== undefined && { url }),
  };
  return MARKS.has(kind) ? [{ ...known, type: kind, ...of } as Event] : [];
};

const MARKS: ReadonlySet<string> = new Set(["status", "citation", "file", "embed", "notice"]);

/** Progress that a Runcast reports for a call, which proves that the call executes. */
const progressEvents = (scopes: Scopes, id: string, patch: unknown): Event[] => {
  const opening = messageIdsOf("")("activity", callActivity(""));
  const call = id.slice(id.indexOf(opening) + opening.length);
  const { path, value } = fieldsOf(Array.isArray(patch) ? patch[0] : undefined);
  const scope = scopes.call(call)?.scope;
  if (!scope) return [];
  if (path === "/progress")
    return [...scopes.execute(call), { ...fieldsOf(value), type: "tool-progress", ...scope.of, call } as Event];
  const { stream, text } = fieldsOf(value);
  if (path !== "/output/-" || (stream !== "stdout" && stream !== "stderr") || typeof text !== "string") return [];
  return [...scopes.execute(call), { type: "tool-output-delta", ...scope.of, call, stream, delta: text }];
};
