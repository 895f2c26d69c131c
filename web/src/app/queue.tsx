import { Button, IconButton } from "../kit/button.tsx";
import { counted } from "runcast/view";
import { IconFile } from "../kit/icons.tsx";
import { IconClose, IconEdit } from "../kit/shell-icons.tsx";
import type { QueuedMessage } from "./use-queue.ts";

export interface QueueProps {
  readonly queue: readonly QueuedMessage[];
  /** Whether they are sent automatically when the run ends. */
  readonly isWaiting: boolean;
  readonly onTake: (index: number) => void;
  readonly onRemove: (index: number) => void;
  readonly onSend: () => void;
}

/** Messages that wait for the end of the run, in sending order. */
export const Queue = ({ queue, isWaiting, onTake, onRemove, onSend }: QueueProps) =>
  queue.length === 0 ? null : (
    <section aria-label="Queued messages" className="mb-2 rounded-xl border border-line bg-card text-sm">
      <header className="flex items-center justify-between gap-2 px-3 pt-2 text-xs text-soft">
        <span>
          {isWaiting ? "Sent in order when the agent is done" : "On hold because the last run did not finish"}
        </span>
        {!isWaiting && (
          <Button kind="plain" className="min-h-8" onClick={onSend}>
            Send next
          </Button>
        )}
      </header>
      <ol className="max-h-40 overflow-y-auto p-1">
        {queue.map(({ text, files }, index) => (
          <li key={`${index} ${text}`} className="flex items-center gap-1 rounded-lg pl-2">
            <span className="min-w-0 grow truncate">{text || files.map(({ name }) => name).join(", ")}</span>
            {files.length > 0 && (
              <span className="inline-flex shrink-0 items-center gap-1 text-xs text-soft">
                <IconFile className="size-3.5" />
                {counted(files.length, "file")}
              </span>
            )}
            <IconButton label={`Edit queued message ${index + 1}`} onClick={() => onTake(index)}>
              <IconEdit className="size-4" />
            </IconButton>
            <IconButton label={`Remove queued message ${index + 1}`} onClick={() => onRemove(index)}>
              <IconClose className="size-4" />
            </IconButton>
          </li>
        ))}
      </ol>
    </section>
  );
