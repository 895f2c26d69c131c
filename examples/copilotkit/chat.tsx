import {
  CopilotChat,
  CopilotKit,
  useDefaultRenderTool,
  useFrontendTool,
  useInterrupt,
} from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { z } from "zod";

// The page stores only the thread's id. Runcast has the conversation, and the run that is still active after a reload.
const thread = (sessionStorage["thread"] ??= crypto.randomUUID()) as string;

const AGENT = "demo";

const Chat = () => {
  // CopilotKit shows tools of the agent only if the app asks for it.
  useDefaultRenderTool();
  // A tool that runs in the page.
  useFrontendTool({
    name: "set_title",
    description: "Sets the title of the page.",
    parameters: z.object({ title: z.string() }),
    handler: async ({ title }) => {
      document.title = title;
      return `The title is ${title}.`;
    },
  });
  useInterrupt({
    agentId: AGENT,
    render: ({ interrupts, resolve }) => (
      <>
        {interrupts.map(({ id, message }) => (
          <section key={id} data-ask={id}>
            <p>{message}</p>
            <button onClick={() => void resolve({ approved: true }, id)}>Allow</button>
            <button onClick={() => void resolve({ approved: false }, id)}>Deny</button>
          </section>
        ))}
      </>
    ),
  });
  return <CopilotChat agentId={AGENT} threadId={thread} />;
};

createRoot(document.getElementById("root")!).render(
  <CopilotKit runtimeUrl="/runcast/copilotkit" enableInspector={false}>
    <Chat />
  </CopilotKit>,
);
