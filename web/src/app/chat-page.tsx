import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Problem } from "runcast/events";
import { Sidebar } from "../conversations/sidebar.tsx";
import { useConversation, useConversations } from "../conversations/use-conversations.tsx";
import type { Jump } from "../run/jump.ts";
import { problemOf } from "./access.ts";
import { Button } from "./button.tsx";
import { useCell } from "./cell.ts";
import { Composer } from "./composer.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { useDraft, keepDraft } from "./draft.ts";
import { Drawer } from "./drawer.tsx";
import { type Command, moveStep, useKeys } from "./keys.ts";
import { KeysDialog } from "./keys-dialog.tsx";
import { usePage } from "./page-context.ts";
import { ProblemNote } from "./problem-note.tsx";
import { Queue } from "./queue.tsx";
import { RunChoices } from "./run-choices.tsx";
import { requestOf } from "./settings.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import { StartScreen } from "./start-screen.tsx";
import { TopBar } from "./top-bar.tsx";
import type { TurnActions } from "./turn.tsx";
import { TurnList } from "./turn-list.tsx";
import { useAgents } from "./use-agents.ts";
import { useOutcome } from "./use-outcome.ts";
import { useQueue } from "./use-queue.ts";

export const ChatPage = ({ onLocked }: { readonly onLocked: () => void }) => {
  const { access, settings, route, announcer, dialog } = usePage();
  const { chat } = useCell(route);
  const { sidebar, tools } = useCell(settings);
  const open = useCell(dialog);
  const known = useAgents(onLocked);
  const talk = useConversation(chat);
  const [text, setText] = useDraft(chat, "draft");
  const [problem, setProblem] = useState<Problem>();
  const [jump, setJump] = useState<Jump & { readonly message: string }>();
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  const { live, messages } = talk;
  const connection = live?.shown?.connection;
  const ended = useOutcome(live?.shown?.state);
  const outcome = ended ?? live?.message.outcome;
  const isBusy = live !== undefined && outcome === undefined && connection?.status !== "failed";

  const latest = useRef(talk);
  latest.current = talk;
  const attempt = useCallback(async (work: () => Promise<unknown>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
  }, []);
  const sendText = useCallback(
    (message: string) =>
      attempt(async () => {
        const id = await latest.current.send([{ type: "text", text: message }], requestOf(settings.get()).settings);
        if (id !== route.get().chat) route.go({ chat: id });
      }),
    [attempt, route, settings],
  );
  const queue = useQueue({ chat, isBusy, outcome, send: sendText });
  const send = (): void => {
    const message = text.trim();
    setText("");
    if (isBusy) queue.add(message);
    else void sendText(message);
  };
  const stop = (): void => {
    if (live) void attempt(() => access.client.cancel(live.message.run));
  };
  const turnActions = useMemo<TurnActions>(
    () => ({
      choose: (message) => latest.current.choose(message),
      rerun: (message) => attempt(() => latest.current.rerun(message)),
      edit: ({ message }, words) => {
        if (message.role !== "user") return;
        const content = [{ type: "text" as const, text: words }];
        void attempt(() => latest.current.edit(message, content, requestOf(settings.get()).settings));
      },
      fork: ({ message }) =>
        void attempt(async () => {
          const { id, draft } = await latest.current.fork(message);
          const words = draft?.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
          keepDraft(id, "draft", words ?? "");
          route.go({ chat: id });
          announcer.say("Forked into a new conversation.");
        }),
    }),
    [attempt, settings, route, announcer],
  );

  const toggleSidebar = () => settings.change({ sidebar: !settings.get().sidebar });
  const toggleTools = () => settings.change({ tools: !settings.get().tools });
  const startNew = () => {
    route.go({});
    field.current?.focus();
  };
  const commands: readonly Command[] = [
    { key: "Escape", does: "Stop the run", whileTyping: true, run: () => (isBusy ? stop() : false) },
    { key: "j", does: "To the next step", run: () => moveStep(scroller.current, 1) },
    { key: "k", does: "To the step before", run: () => moveStep(scroller.current, -1) },
    { key: "/", does: "Write a message", run: () => field.current?.focus() },
    { key: "n", does: "A new conversation", run: startNew },
    { key: "[", does: "Show or hide conversations", run: toggleSidebar },
    { key: "]", does: "Show or hide tools", run: toggleTools },
    { key: "?", does: "Show these keys", run: () => dialog.set("keys") },
  ];
  useKeys(commands);

  const { conversation } = talk;
  const title = conversation?.title || "New conversation";
  useEffect(() => {
    document.title = conversation?.title ? `${conversation.title} · Runcast` : "Runcast";
  }, [conversation?.title]);
  const closeOnPhone = (part: "sidebar" | "tools") => {
    if (!matchMedia("(min-width: 64rem)").matches) settings.change({ [part]: false });
  };

  return (
    <div className="flex h-dvh overflow-hidden">
      <div className="flex min-w-0 grow flex-col">
        <TopBar
          title={title}
          state={live && <ConnectionState connection={outcome === undefined ? connection : { status: "finished" }} />}
          sidebar={{ isOpen: sidebar, toggle: toggleSidebar }}
          tools={{ isOpen: tools, toggle: toggleTools }}
        />
        <main className="flex min-h-0 grow flex-col">
          {chat === undefined ? (
            <div className="min-h-0 grow overflow-y-auto">
              <StartScreen
                agents={known.agents}
                problem={known.problem}
                onAgain={known.again}
                onPick={(message) => void sendText(message)}
              />
            </div>
          ) : conversation === null ? (
            <Missing onNew={startNew} />
          ) : (
            <TurnList key={chat} messages={messages} actions={turnActions} jump={jump} scroller={scroller} />
          )}
          <div className="mx-auto w-full max-w-3xl shrink-0 px-4 pb-3">
            {problem && (
              <div className="mb-2">
                <ProblemNote problem={problem}>
                  <Button onClick={() => setProblem(undefined)}>Close</Button>
                </ProblemNote>
              </div>
            )}
            <Queue
              queue={queue.texts}
              isWaiting={isBusy}
              onTake={(index) => setText(queue.take(index))}
              onRemove={(index) => void queue.take(index)}
              onSend={queue.sendNext}
            />
            <Composer
              text={text}
              onText={setText}
              onSend={send}
              onStop={isBusy ? stop : undefined}
              queues={isBusy}
              field={field}
            >
              {known.agents && <RunChoices agents={known.agents} />}
            </Composer>
          </div>
        </main>
      </div>
      <Drawer side="left" label="Conversations" isOpen={sidebar} onClose={toggleSidebar}>
        <Sidebar
          current={chat}
          onOpen={(id, message) => {
            closeOnPhone("sidebar");
            route.go({ chat: id });
            if (message !== undefined) setJump({ node: "", message });
          }}
          onNew={() => {
            closeOnPhone("sidebar");
            startNew();
          }}
        />
      </Drawer>
      {open === "settings" && <SettingsDialog onClose={() => dialog.set(undefined)} />}
      {open === "keys" && <KeysDialog commands={commands} onClose={() => dialog.set(undefined)} />}
    </div>
  );
};

const Missing = ({ onNew }: { readonly onNew: () => void }) => {
  const { isLoaded } = useConversations();
  if (!isLoaded) return null;
  const problem = {
    code: "missing",
    message: "this browser does not have that conversation",
    hint: "it may be in another browser, or was deleted; a run can be shared with a link",
  };
  return (
    <div className="mx-auto w-full max-w-3xl grow px-4 py-10">
      <ProblemNote problem={problem}>
        <Button onClick={onNew}>Start a new one</Button>
      </ProblemNote>
    </div>
  );
};
