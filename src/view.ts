/**
 * Display logic of a run: pure functions from its state to text, times, and shapes. The page, `<run-view>`, and the
 * terminal only render what these return, so they always agree.
 */
export { visibleText } from "./markdown.ts";
export { messageOf } from "./message-of.ts";
export { type AgentFacts, describeAgent } from "./view/agent.ts";
export { amount, byteText, counted, duration, elapsed, totalUsage, usageText } from "./view/amounts.ts";
export { announcementOf } from "./view/announcement.ts";
export { type AllowedTool } from "./view/allowed.ts";
export { answerMarkdown } from "./view/answer.ts";
export { type AsideFacts, describeAside, describeFile, type FileFacts } from "./view/aside.ts";
export { type AskFacts, type Choice, describeAsk, whoAsks } from "./view/ask.ts";
export { attachmentProblem, type AttachmentRules, type FileLimits, mediaTypeOf } from "./view/attachment.ts";
export { type Attention, attentionOf } from "./view/attention.ts";
export { type Badge, badgeOf, CALL_STATES, type ShownState, type Tone } from "./view/badge.ts";
export { type CallFacts, describeCall } from "./view/call.ts";
export { type CallCounts, describeCounts } from "./view/call-counts.ts";
export { type CallFilter, createMatcher, NO_FILTER } from "./view/call-filter.ts";
export { type CommandFacts, describeCommand } from "./view/command.ts";
export {
  type ConnectionCircumstances,
  type ConnectionFacts,
  describeConnection,
  isRefusal,
} from "./view/connection.ts";
export { type Delegation, delegationOf } from "./view/delegation.ts";
export { csvTable, LONGEST_CSV } from "./view/csv.ts";
export { type DiffLine, diffOf, diffsIn, type FileDiff } from "./diff.ts";
export { eventText } from "./view/event-text.ts";
export { canFold, describeGroup, type GroupFacts, groupSign, hasAgents, isPlain, lanesOf } from "./view/group.ts";
export { describeLink, type LinkFacts } from "./view/link.ts";
export { describeText, describeThinking, isOver, type TextFacts, type ThinkingFacts } from "./view/part.ts";
export { createLogClock, type LogClock } from "./view/log-clock.ts";
export { openAsks } from "./view/open-asks.ts";
export { createOutline, type Outline, type OutlineRow, RUN_END } from "./view/outline.ts";
export { describeFailure, describeProblem, type ProblemFacts, type RefusedKey, refusedKey } from "./view/problem.ts";
export { describeReplay } from "./view/replay.ts";
export { describeResume } from "./view/resume.ts";
export { describeResult, type ResultFacts, type ResultPart } from "./view/result.ts";
export { fileShape, parsed, shapeOfText, type Table, tableOf } from "./view/result-shape.ts";
export { type Block, createRows, type Row } from "./view/rows.ts";
export { agoText, compareRows, describeRow, openRunsText, ROW_STATES, type RunRowFacts } from "./view/run-row.ts";
export { describeRun, mayResume, messageText, type RunFacts, runTitle } from "./view/run.ts";
export { createRunIndex, type RunIndex } from "./view/run-index.ts";
export { type SlotFacts, slotsOf } from "./view/slots.ts";
export { slowFrom, slownessOf } from "./view/slow.ts";
export { describeStart, type StartFact, type StartFacts } from "./view/start.ts";
export { describeStep, type StepFacts } from "./view/step.ts";
export { summaryOf } from "./view/summary.ts";
export { oneLine, sentence } from "./view/text.ts";
export { dateText, remainingText, type Time, timeText } from "./view/time.ts";
export { describePlan, type PlanFacts, type Todo } from "./view/todos.ts";
export { runSpan, ticksOf, tickText, waterfallOf, type WaterfallRow } from "./view/waterfall.ts";
