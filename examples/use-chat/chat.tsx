import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { type ReactNode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const API = "/runcast/ai-sdk/demo";

// The page stores the messages. A run that is still active after a reload is resumed from Runcast.
const id = (sessionStorage["chat"] ??= crypto.randomUUID()) as string;
const kept = JSON.parse(sessionStorage.getItem(id) ?? "[]") as UIMessage[];

interface SubAgent {
  readonly name: string;
  readonly state: string;
  readonly doing?: string;
  readonly text?: string;
}

const Chat = () => {
  const [text, setText] = useState("");
  const { messages, sendMessage, status, error, addToolApprovalResponse } = useChat({
    id,
    messages: kept,
    resume: true,
    transport: new DefaultChatTransport({ api: `${API}?sdk=7` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => sessionStorage.setItem(id, JSON.stringify(messages)), [messages]);
  const isBusy = status === "submitted" || status === "streaming";
  // The SDK's own `stop` only closes the connection.
  const stop = () => fetch(`${API}/${id}/stop`, { method: "POST" });
  const answer = (approval: string, approved: boolean) => void addToolApprovalResponse({ id: approval, approved });

  return (
    <>
      <h1>useChat</h1>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} answer={answer} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
        {isBusy ? (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
      <p role="status">{status}</p>
    </>
  );
};

interface PartProps {
  readonly part: UIMessage["parts"][number];
  readonly answer: (approval: string, approved: boolean) => void;
}

const Part = ({ part, answer }: PartProps): ReactNode => {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "reasoning") return <details>{part.text}</details>;
  if (part.type === "dynamic-tool") return <Tool part={part} answer={answer} />;
  if (part.type !== "data-agent") return null;
  const { name, state, doing, text } = part.data as SubAgent;
  return (
    <section aria-label={name}>
      {name}: {state === "working" ? (doing ?? "working") : state} {text}
    </section>
  );
};

const Tool = ({ part, answer }: { readonly part: DynamicToolUIPart } & Pick<PartProps, "answer">) => (
  <section aria-label={part.toolName} data-state={part.state}>
    <strong>{part.title ?? part.toolName}</strong> {JSON.stringify(part.input)}
    {part.state === "approval-requested" && (
      <div>
        <button onClick={() => answer(part.approval.id, true)}>Allow</button>{" "}
        <button onClick={() => answer(part.approval.id, false)}>Deny</button>
      </div>
    )}
    {part.state === "output-available" && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
    {part.state === "output-error" && <p>{part.errorText}</p>}
    {part.state === "output-denied" && <p>Denied.</p>}
  </section>
);

createRoot(document.getElementById("root")!).render(<Chat />);
