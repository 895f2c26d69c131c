// Only the AI SDK's reducer: useChat as documented, plain text, and unchanged messages are not rendered again. The end
// stays in view, as on the other pages.
import { type UIMessage, useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { memo, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { everyMs } from "./pace.ts";

interface Past {
  readonly question: string;
  readonly text: string;
  readonly card: { readonly name: string; readonly input: string; readonly output: string };
}

const MessageView = memo(({ message }: { readonly message: UIMessage }) => (
  <article style={{ contentVisibility: "auto", containIntrinsicSize: "auto 300px" }}>
    {message.parts.map((part, index) => {
      if (part.type === "text") return <p key={index}>{part.text}</p>;
      return part.type.startsWith("tool-") ? <pre key={index}>{JSON.stringify(part)}</pre> : null;
    })}
  </article>
));

const Chat = ({ past }: { readonly past: readonly Past[] }) => {
  const { messages, sendMessage, status } = useChat({
    messages: past.flatMap(messagesOf),
    transport: new DefaultChatTransport({ api: "/chat" }),
    ...(everyMs > 0 && { throttle: everyMs }),
    onFinish: () => {
      document.title = "done";
    },
  });
  useEffect(() => {
    window.scrollTo(0, document.body.scrollHeight);
  }, [messages]);
  return (
    <>
      {messages.map((message) => (
        <MessageView key={message.id} message={message} />
      ))}
      <p>{status}</p>
      <button onClick={() => void sendMessage({ text: "Start" })}>Start</button>
    </>
  );
};

const messagesOf = ({ question, text, card }: Past, index: number): UIMessage[] => [
  { id: `question-${index}`, role: "user", parts: [{ type: "text", text: question }] },
  {
    id: `answer-${index}`,
    role: "assistant",
    parts: [
      { type: "text", text },
      {
        type: `tool-${card.name}`,
        toolCallId: `past-${index}`,
        state: "output-available",
        input: JSON.parse(card.input) as unknown,
        output: card.output,
      },
    ],
  },
];

const App = () => {
  const [past, setPast] = useState<readonly Past[]>();
  useEffect(() => {
    void fetch("/history")
      .then((response) => response.json())
      .then((all) => setPast(all as Past[]));
  }, []);
  useEffect(() => {
    if (past) document.title = "ready";
  }, [past]);
  return past && <Chat past={past} />;
};

createRoot(document.querySelector("#root")!).render(<App />);
