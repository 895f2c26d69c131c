import { useState } from "react";
import { messageOf } from "runcast/view";
import { useCanEmbed } from "../embeds/embeds-context.ts";
import { runCode } from "../embeds/run-code.ts";
import { AskButton } from "./ask-button.tsx";
import type { AskParts } from "./ask-form.tsx";
import { PlainText } from "./plain-text.tsx";

/** Code that a tool wants to run here. It runs after the user agrees, in a frame that can reach nothing. */
export const CodeForm = ({ ask, send }: Pick<AskParts, "ask" | "send">) => {
  const canRun = useCanEmbed();
  const [trouble, setTrouble] = useState("");
  const code = typeof ask.value === "string" ? ask.value : JSON.stringify(ask.value);
  const run = async (): Promise<void> => {
    setTrouble("");
    try {
      send({ value: await runCode(code) });
    } catch (error) {
      setTrouble(`The code failed: ${messageOf(error)}`);
    }
  };
  return (
    <>
      <PlainText text={code} label="Code" />
      <p className="text-xs text-soft">
        {canRun
          ? "Run executes the code in a sandbox that cannot reach this page or the network, and sends its return value to the agent."
          : "Code cannot run inside this embedded view. Open the run on its own page."}
      </p>
      <p role="status" className="text-xs text-bad empty:hidden">
        {trouble}
      </p>
      <div className="flex flex-wrap gap-2">
        {canRun && (
          <AskButton main onPress={() => void run()}>
            Run
          </AskButton>
        )}
        <AskButton onPress={() => send({ value: null })}>Decline</AskButton>
      </div>
    </>
  );
};
