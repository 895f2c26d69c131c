import { type RefObject, useCallback, useMemo, useReducer, useRef, useState } from "react";
import type { Connection } from "runcast/client";
import type { Problem } from "runcast/events";
import type { RunState } from "runcast/state";
import { describeRun } from "runcast/view";
import { type OpenConversation, useConversation } from "../conversations/use-conversations.tsx";
import type { BrowserResults } from "../embeds/browser-calls.tsx";
import type { Jump } from "../run/jump.ts";
import { problemOf } from "../session/access.ts";
import { useCell } from "../kit/cell.ts";
import { keepDraft, useDraft } from "./draft.ts";
import { type Attachment, type Attachments, keepParts, useAttachments } from "./use-attachments.ts";
import { usePage } from "../session/page-context.ts";
import { createActionsOf } from "../session/run-actions.ts";
import { requestOf } from "../session/settings.ts";
import type { MessageCommands } from "./message-view.tsx";
import { type RunEnd, useRunEnd } from "./use-run-end.ts";
import { useStop } from "./use-stop.ts";
import { type MessageQueue, type QueuedMessage, useQueue } from "./use-queue.ts";

/** A target in a conversation: a message, or a node of its run. */
export interface ChatJump extends Jump {
  readonly message: string;
}

export interface Chat {
  readonly id: string | undefined;
  readonly opened: OpenConversation;
  /** The run that answers the last message. */
  readonly state: RunState | undefined;
  readonly connection: Connection | undefined;
  readonly end: RunEnd;
  readonly isBusy: boolean;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly queue: MessageQueue;
  /** Attached to the next message. */
  readonly attachments: Attachments;
  readonly problem: Problem | undefined;
  readonly closeProblem: () => void;
  readonly jump: ChatJump | undefined;
  readonly setJump: (jump: ChatJump | undefined) => void;
  /** How often the user asked for an answer here: sent, edited, ran again or continued. */
  readonly asked: number;
  readonly messageCommands: MessageCommands;
  /** Sends the text and the attachments, or queues them while the agent is working. */
  send(): void;
  /** Makes a queued message the next one to write. */
  takeBack(message: QueuedMessage): void;
  sendText(text: string): Promise<void>;
  /** Continues with the results of calls that this browser ran. */
  sendResults(results: BrowserResults): Promise<void>;
  readonly isStopping: boolean;
  stop(): void;
}

const LOST_FILES = {
  code: "files-lost",
  message: "the queued message's files are no longer in this browser",
  hint: "attach them again",
};
const isHere = ({ file, part }: Attachment): boolean => file !== undefined || part !== undefined;

const PROCEED = "Continue exactly where you stopped.";
const RESUME = "Continue where you stopped. Do not repeat calls that have finished.";

/** The conversation named in the page's URL, and the actions on it. */
export const useChat = (field: RefObject<HTMLTextAreaElement | null>, accepts: readonly string[] | undefined): Chat => {
  const { access, settings, route, announcer } = usePage();
  const { chat: id } = useCell(route);
  const opened = useConversation(id);
  const [text, setText] = useDraft(id, "draft");
  const attachments = useAttachments(id, { limits: access.fileLimits(), accepts });
  const [problem, setProblem] = useState<Problem>();
  const [jump, setJump] = useState<ChatJump>();
  const [asked, countAsked] = useReducer((before: number) => before + 1, 0);
  const showAnswer = useCallback((): void => {
    setJump(undefined);
    countAsked();
  }, []);
  const latest = useRef({ opened, text, setText });
  latest.current = { opened, text, setText };

  const { live } = opened;
  const connection = live?.shown?.connection;
  const shownEnd = useRunEnd(live?.shown?.state);
  // The outcome of a run is stored with its message, so it is known before the run is loaded.
  const end = shownEnd === "open" && live?.message.outcome !== undefined ? "ended" : shownEnd;
  const isBusy = live !== undefined && end === "open" && connection?.status !== "failed";

  const stopping = useStop(live?.message.run, setProblem);

  const attempt = useCallback(async (work: () => Promise<unknown>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
  }, []);
  const post = useCallback(
    async (message: string, files: readonly Attachment[] = []) => {
      showAnswer();
      const chosen = requestOf(settings.get()).settings;
      const known = files.flatMap(({ part }) => (part ? [part] : []));
      const content = message === "" ? known : [...known, { type: "text" as const, text: message }];
      const uploads = files.flatMap(({ name, mediaType, file }) => (file ? [{ name, mediaType, file }] : []));
      const sentTo = await latest.current.opened.send({ content, files: uploads, settings: chosen });
      if (sentTo !== route.get().chat) route.go({ chat: sentTo });
    },
    [route, settings, showAnswer],
  );
  const sendText = useCallback((message: string) => attempt(() => post(message)), [attempt, post]);
  const takeBack = ({ text: words, files }: QueuedMessage): void => {
    attachments.putBack(files.filter(isHere));
    const { text: before, setText: write } = latest.current;
    write([words, before === words ? "" : before].filter((each) => each.trim() !== "").join("\n"));
    if (!files.every(isHere)) setProblem(LOST_FILES);
  };
  const sendWithFiles = async (message: QueuedMessage): Promise<void> => {
    let isSent = false;
    if (message.files.every(isHere))
      await attempt(async () => {
        await post(message.text, message.files);
        isSent = true;
      });
    // The user can try again.
    if (!isSent) takeBack(message);
  };
  const sendResults = useCallback(
    ({ content, pages }: BrowserResults) =>
      attempt(() =>
        latest.current.opened.send({ content, settings: requestOf(settings.get()).settings, ...(pages && { pages }) }),
      ),
    [attempt, settings],
  );
  // While this browser runs calls for the agent, the conversation continues with their results.
  const isOurs =
    live?.shown !== undefined &&
    describeRun(live.shown.state).awaiting !== "" &&
    settings.get().browserTools.length > 0;
  const queue = useQueue({ chat: id, isBusy: isBusy || isOurs, end, send: sendWithFiles });

  const isStarting = useRef(false);
  const messageCommands = useMemo<MessageCommands>(() => {
    /** Its button stays until the answer is stored. A double click must not start two runs. */
    const startOnce = (work: () => Promise<unknown>): void => {
      if (isStarting.current) return;
      isStarting.current = true;
      showAnswer();
      void attempt(work).finally(() => (isStarting.current = false));
    };
    const rerun: MessageCommands["rerun"] = (message) => startOnce(() => latest.current.opened.rerun(message));
    return {
      choose: (message) => void attempt(() => latest.current.opened.choose(message)),
      rerun,
      edit: ({ message }, content) => {
        if (message.role !== "user") return;
        showAnswer();
        void attempt(() => latest.current.opened.edit(message, content, requestOf(settings.get()).settings));
      },
      fork: ({ message }) =>
        void attempt(async () => {
          const { id: forked, draft } = await latest.current.opened.fork(message);
          const words = draft?.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
          keepDraft(forked, "draft", words ?? "");
          keepParts(forked, draft?.filter((part) => part.type === "file") ?? []);
          route.go({ chat: forked });
          announcer.say("Forked into a new conversation.");
        }),
      actionsOf: createActionsOf({
        access,
        retry: (run) => {
          for (const { message } of latest.current.opened.messages)
            if (message.role === "assistant" && message.run === run) rerun(message);
        },
        proceed: (run) => {
          const { live: last } = latest.current.opened;
          if (last?.message.run === run) startOnce(() => post(PROCEED));
        },
        resume: (run) => {
          const { live: last, resume } = latest.current.opened;
          if (last?.message.run !== run) return;
          const mode = last.shown?.state.data.get("mode");
          // A command in the message may have chosen the mode.
          const chosen = { ...last.message.settings, ...(typeof mode === "string" && { mode }) };
          startOnce(() => resume(last.message, [{ type: "text", text: RESUME }], chosen));
        },
        draft: (words) => {
          const { text: before, setText: write } = latest.current;
          write(before.trim() ? `${before}\n${words}` : words);
          field.current?.focus();
        },
      }),
    };
  }, [access, attempt, post, showAnswer, settings, route, announcer, field]);

  return {
    id,
    opened,
    state: live?.shown?.state,
    connection,
    end,
    isBusy,
    text,
    setText,
    queue,
    attachments,
    problem,
    closeProblem: () => setProblem(undefined),
    jump,
    setJump,
    asked,
    messageCommands,
    send: () => {
      const message = { text: text.trim(), files: attachments.take() };
      setText("");
      if (isBusy) queue.add(message);
      else void sendWithFiles(message);
    },
    takeBack,
    sendText,
    sendResults,
    ...stopping,
  };
};
