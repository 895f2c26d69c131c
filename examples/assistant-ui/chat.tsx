import { useChat } from "@ai-sdk/react";
import {
  AssistantRuntimeProvider,
  AuiIf,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";

const API = "/runcast/ai-sdk/demo";

// The page stores the messages. A run that is still active after a reload is resumed from Runcast.
const id = (sessionStorage["chat"] ??= crypto.randomUUID()) as string;
const kept = JSON.parse(sessionStorage.getItem(id) ?? "[]") as UIMessage[];

const Chat = () => {
  const chat = useChat({
    id,
    messages: kept,
    resume: true,
    transport: new DefaultChatTransport({ api: `${API}?sdk=7` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => sessionStorage.setItem(id, JSON.stringify(chat.messages)), [chat.messages]);
  // The SDK's own `stop` only closes the connection.
  const stop = async () => void (await fetch(`${API}/${id}/stop`, { method: "POST" }));
  const runtime = useAISDKRuntime({ ...chat, stop });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages>{({ message }) => <Message role={message.role} />}</ThreadPrimitive.Messages>
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" placeholder="Message" />
          <AuiIf condition={({ thread }) => !thread.isRunning}>
            <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          </AuiIf>
          <AuiIf condition={({ thread }) => thread.isRunning}>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </AuiIf>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
};

const Message = ({ role }: { readonly role: string }) => (
  <MessagePrimitive.Root>
    <article data-role={role}>
      <MessagePrimitive.Parts
        components={{ Reasoning, tools: { Fallback: Tool }, data: { by_name: { agent: Agent } } }}
      />
    </article>
  </MessagePrimitive.Root>
);

const Reasoning = ({ text }: { readonly text: string }) => (
  <details>
    <summary>Thinking</summary>
    {text}
  </details>
);

interface SubAgent {
  readonly name: string;
  readonly state: string;
  readonly doing?: string;
  readonly text?: string;
}

const Agent = ({ data: { name, state, doing, text } }: { readonly data: SubAgent }) => (
  <section aria-label={name}>
    {name}: {state === "working" ? (doing ?? "working") : state} {text}
  </section>
);

const Tool = ({
  toolName,
  argsText,
  result,
  isError,
  status,
  approval,
  respondToApproval,
}: ToolCallMessagePartProps) => {
  const isAsked = approval !== undefined && approval.approved === undefined;
  return (
    <section aria-label={toolName} data-state={isAsked ? "asks" : isError ? "failed" : status.type}>
      <strong>{toolName}</strong> {argsText}
      {isAsked && (
        <div>
          <button onClick={() => void respondToApproval({ approved: true })}>Allow</button>{" "}
          <button onClick={() => void respondToApproval({ approved: false })}>Deny</button>
        </div>
      )}
      {result !== undefined && <pre>{JSON.stringify(result, null, 2)}</pre>}
    </section>
  );
};

createRoot(document.getElementById("root")!).render(<Chat />);
