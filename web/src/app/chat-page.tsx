import { type ReactNode, useCallback, useMemo, useReducer, useRef, useState } from "react";
import { describeRun } from "runcast/view";
import { type ConversationFact, conversationUsage } from "../conversations/conversation.ts";
import { Sidebar } from "../conversations/sidebar.tsx";
import { StorageNotice } from "../conversations/storage-notice.tsx";
import { useConversations } from "../conversations/use-conversations.tsx";
import { BrowserCalls } from "../embeds/browser-calls.tsx";
import { PANELS } from "../panel/panels.tsx";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { loadLater } from "../kit/load-later.tsx";
import { AskJump, askCommand } from "./ask-jump.tsx";
import { Composer } from "./composer.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { ConversationFailures } from "./conversation-failures.tsx";
import { ConversationPanel } from "./conversation-panel.tsx";
import { Drawer, isWide, useIsWide } from "../kit/drawer.tsx";
import { FailureJump, failureCommand } from "./failure-jump.tsx";
import { FollowUps } from "./follow-ups.tsx";
import { type KeyCommand, moveStep, useKeys } from "./keys.ts";
import { usePage } from "../session/page-context.ts";
import { useTitle } from "../session/use-title.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { Queue } from "./queue.tsx";
import { RunChoices } from "./run-choices.tsx";
import { PageDialogs } from "./page-dialogs.tsx";
import { StartScreen } from "./start-screen.tsx";
import { choosePanel } from "./panel-choice.ts";
import { PanelDrawer } from "./panel-drawer.tsx";
import { TopBar } from "./top-bar.tsx";
import { MessageList } from "./message-list.tsx";
import { acceptsOf, useAgents } from "./use-agents.ts";
import { type Chat, type ChatJump, useChat } from "./use-chat.ts";
import { useFileDrop } from "./use-file-drop.ts";
import { useWantedKey, type WantedKey } from "./use-wanted-key.ts";

const DeleteConversationDialog = loadLater(
  async () => (await import("../deletion/delete-conversation-dialog.tsx")).DeleteConversationDialog,
);

const ModelKeyForm = loadLater(async () => (await import("./model-key-form.tsx")).ModelKeyForm);

export const ChatPage = ({ onLocked }: { readonly onLocked: () => void }) => {
  const { settings, route, dialog } = usePage();
  const { sidebar, panel } = useCell(settings);
  const panels = choosePanel(PANELS, panel, (name) => settings.change({ panel: name }));
  const [erased, setErased] = useState<ConversationFact>();
  const known = useAgents(onLocked);
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const chat = useChat(field, acceptsOf(known.agents, useCell(settings)));
  const wantedKey = useWantedKey(known.agents, chat);
  const drop = useFileDrop(chat.attachments.add);
  const { conversation, messages } = chat.opened;
  const usage = useMemo(() => (conversation ? conversationUsage(conversation) : ""), [conversation]);
  const { list, history } = useConversations();
  const isRemote = history !== undefined && !list.some(({ id, isRemote }) => id === chat.id && !isRemote);
  const isCovered = !useIsWide() && (sidebar || panels.open !== undefined);

  const toggleSidebar = () => settings.change({ sidebar: !settings.get().sidebar });
  const { setJump } = chat;
  const liveMessage = chat.opened.live?.message.id;
  const jumpToAsk = useCallback(
    (node: string): void => {
      if (liveMessage !== undefined) setJump({ node, message: liveMessage });
    },
    [liveMessage, setJump],
  );
  const [presses, findFailure] = useReducer((before: number) => before + 1, 0);
  const uncoverAndJump = (jump: ChatJump): void => {
    panels.uncover();
    setJump(jump);
  };
  const openChat = useCallback(
    (id: string, message?: string): void => {
      if (!isWide()) settings.change({ sidebar: false });
      setJump(message === undefined ? undefined : { node: "", message });
      route.go({ chat: id });
    },
    [settings, route, setJump],
  );
  const startNew = (): void => {
    if (!isWide()) settings.change({ sidebar: false });
    route.go({});
    field.current?.focus();
  };
  const commands: readonly KeyCommand[] = [
    { key: "Escape", does: "Stop the run", always: true, run: () => (chat.isBusy ? chat.stop() : false) },
    { key: "j", does: "Go to the next step", run: () => moveStep(scroller.current, 1) },
    { key: "k", does: "Go to the previous step", run: () => moveStep(scroller.current, -1) },
    askCommand(chat.state, { scroller, onJump: jumpToAsk }),
    failureCommand(findFailure),
    { key: "/", does: "Write a message", run: () => field.current?.focus() },
    { key: "n", does: "New conversation", run: startNew },
    { key: "[", does: "Show or hide conversations", run: toggleSidebar },
    ...panels.commands,
    { key: "r", does: "All runs", run: () => route.go({ board: {} }) },
    { key: "?", does: "Show keyboard shortcuts", run: () => dialog.set("keys") },
  ];
  useKeys(commands, field);
  useTitle(conversation?.title ? `${conversation.title} · Runcast` : "Runcast");

  return (
    <div className="flex h-dvh overflow-hidden">
      <div className="flex min-w-0 grow flex-col" inert={isCovered}>
        <TopBar
          title={conversation?.title || "New conversation"}
          state={
            chat.opened.live && (
              <ConnectionState connection={chat.connection} state={chat.state} isOver={chat.end !== "open"} />
            )
          }
          sidebar={{ isOpen: sidebar, toggle: toggleSidebar }}
          panels={panels}
        />
        <main
          className={`flex min-h-0 grow flex-col ${drop.isOver ? "outline-2 -outline-offset-4 outline-accent outline-dashed" : ""}`}
          {...drop.handlers}
        >
          {chat.id === undefined ? (
            <div className="min-h-0 grow overflow-y-auto">
              <StartScreen
                agents={known.agents}
                problem={known.problem}
                onReload={known.reload}
                onPick={(message) => void chat.sendText(message)}
              />
            </div>
          ) : conversation === null ? (
            <Missing onNew={startNew} />
          ) : conversation === undefined && isRemote ? (
            <p role="status" className="mx-auto w-full max-w-3xl grow px-4 py-10 text-soft">
              Loading the conversation…
            </p>
          ) : (
            <MessageList
              key={chat.id}
              messages={messages}
              commands={chat.messageCommands}
              agents={known.agents}
              jump={chat.jump}
              asked={chat.asked}
              scroller={scroller}
              usage={chat.isBusy ? "" : usage}
            >
              {(isAtEnd) => (
                <>
                  {chat.state && <AskJump state={chat.state} scroller={scroller} onJump={jumpToAsk} />}
                  <FailureJump presses={presses} isAtEnd={isAtEnd}>
                    {(wanted) => (
                      <ConversationFailures
                        messages={messages}
                        wanted={wanted}
                        scroller={scroller}
                        onFind={isAtEnd ? undefined : findFailure}
                        onJump={uncoverAndJump}
                      />
                    )}
                  </FailureJump>
                </>
              )}
            </MessageList>
          )}
          <Foot chat={chat}>
            {!sidebar && <StorageNotice className="mb-2" />}
            {wantedKey && (
              <div className="mb-2">
                <ModelKeyForm
                  key={wantedKey.variable}
                  title={wantedKeyText(wantedKey)}
                  variable={wantedKey.variable}
                  agents={wantedKey.agents}
                  {...(wantedKey.failed && { action: "Use key and try again" })}
                  onKept={() => {
                    if (wantedKey.failed) chat.messageCommands.rerun(wantedKey.failed);
                    field.current?.focus();
                  }}
                />
              </div>
            )}
            <Composer
              text={chat.text}
              onText={chat.setText}
              onSend={chat.send}
              onStop={chat.isBusy ? chat.stop : undefined}
              isStopping={chat.isStopping}
              queues={chat.isBusy}
              attachments={chat.attachments}
              field={field}
            >
              {known.agents && <RunChoices agents={known.agents} />}
            </Composer>
          </Foot>
        </main>
      </div>
      <Drawer side="left" label="Conversations" isOpen={sidebar} onClose={toggleSidebar}>
        <Sidebar current={chat.id} onOpen={openChat} onNew={startNew} onErase={setErased} />
      </Drawer>
      <PanelDrawer panels={panels}>
        {(View) => <ConversationPanel View={View} messages={messages} onJump={uncoverAndJump} />}
      </PanelDrawer>
      {erased && <DeleteConversationDialog conversation={erased} onClose={() => setErased(undefined)} />}
      <PageDialogs commands={commands} />
    </div>
  );
};

const wantedKeyText = ({ variable, isRejected, subagent }: WantedKey): string =>
  `${subagent === undefined ? "This model" : `The sub-agent ${subagent}`} needs ${isRejected ? "a valid " : ""}${variable}`;

/** The fixed area below the conversation: problems, queued messages, and the composer. */
const Foot = ({ chat, children }: { readonly chat: Chat; readonly children: ReactNode }) => {
  const { state, queue } = chat;
  const { browserTools } = useCell(usePage().settings);
  return (
    <div className="relative mx-auto w-full max-w-3xl shrink-0 px-4 pb-3 fades-above">
      {chat.problem && (
        <div className="mb-2">
          <ProblemNote problem={chat.problem}>
            <Button onClick={chat.closeProblem}>Close</Button>
          </ProblemNote>
        </div>
      )}
      {state && chat.end === "succeeded" && describeRun(state).awaiting && (
        <BrowserCalls key={state.run} state={state} tools={browserTools} onResults={chat.sendResults} />
      )}
      {state && chat.end !== "open" && queue.messages.length === 0 && (
        <FollowUps state={state} onPick={(text) => void chat.sendText(text)} />
      )}
      <Queue
        queue={queue.messages}
        isWaiting={chat.isBusy}
        onTake={(index) => void queue.take(index).then(chat.takeBack)}
        onRemove={(index) => void queue.take(index)}
        onSend={queue.sendNext}
      />
      {children}
    </div>
  );
};

const Missing = ({ onNew }: { readonly onNew: () => void }) => {
  const { isLoaded, history, refresh } = useConversations();
  if (!isLoaded) return null;
  if (history?.state === "failed") {
    const failed = { code: "network", message: "the conversation could not be loaded from the server" };
    return (
      <div className="mx-auto w-full max-w-3xl grow px-4 py-10">
        <ProblemNote problem={failed}>
          <Button onClick={() => void refresh()}>Try again</Button>
        </ProblemNote>
      </div>
    );
  }
  const problem = {
    code: "missing",
    message: "this browser does not have this conversation",
    hint: "it may be in another browser, or it may have been deleted; to show a run to others, share a link to it",
  };
  return (
    <div className="mx-auto w-full max-w-3xl grow px-4 py-10">
      <ProblemNote problem={problem}>
        <Button onClick={onNew}>Start a new conversation</Button>
      </ProblemNote>
    </div>
  );
};
