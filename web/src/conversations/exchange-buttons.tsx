import { counted, messageOf } from "runcast/view";
import { useRef, useState } from "react";
import { saveFile } from "../kit/save-file.ts";
import { IconUpload, IconDownload } from "../kit/icons.tsx";
import { useConversations } from "./use-conversations.tsx";

/** Exports all conversations to a file, and imports such files. */
export const ExchangeButtons = ({ isEmpty }: { readonly isEmpty: boolean }) => {
  const { export: write, import: read } = useConversations();
  const input = useRef<HTMLInputElement>(null);
  const [status, setStatus] = useState<{ readonly text: string; readonly isBad?: boolean }>();

  const load = async (file: File): Promise<void> => {
    try {
      const { added, known } = await read(await file.text());
      const already = known > 0 ? `, ${counted(known, "conversation")} already here` : "";
      setStatus({ text: `${counted(added, "conversation")} added${already}.` });
    } catch (error) {
      setStatus({ text: `${file.name}: ${messageOf(error)}.`, isBad: true });
    }
  };

  return (
    <div className="border-t border-line pt-2">
      <p role="status" className={`px-2 text-xs ${status?.isBad ? "text-bad" : "text-soft"} ${status ? "pb-1" : ""}`}>
        {status?.text}
      </p>
      <div className="flex gap-1">
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          aria-label="Conversation file"
          hidden
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            // Lets the user choose the same file again.
            target.value = "";
            if (file) void load(file);
          }}
        />
        <button type="button" onClick={() => input.current?.click()} className={BUTTON}>
          <IconUpload /> Import
        </button>
        <button
          type="button"
          disabled={isEmpty}
          onClick={() => void write().then((text) => saveText("conversations.json", text))}
          className={BUTTON}
        >
          <IconDownload /> Export all
        </button>
      </div>
    </div>
  );
};

const BUTTON =
  "flex flex-1 items-center justify-center gap-2 rounded-lg px-2 py-1.5 text-soft hover:bg-card hover:text-ink disabled:cursor-not-allowed disabled:opacity-60";

/** Saves a file on the user's device. */
export const saveText = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: "application/json" }));
