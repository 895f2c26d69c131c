import type { ReactNode } from "react";
import { useCell } from "../kit/cell.ts";
import { Dialog } from "../kit/dialog.tsx";
import type { KeyCommand } from "./keys.ts";
import { usePage } from "../session/page-context.ts";

const COMPOSER = [
  { keys: ["Enter"], does: "Send the message, or queue it while the agent is working" },
  { keys: ["Shift", "Enter"], does: "New line" },
];

export const KeysDialog = ({
  commands,
  onClose,
}: {
  readonly commands: readonly KeyCommand[];
  readonly onClose: () => void;
}) => {
  const { settings } = usePage();
  const { keys } = useCell(settings);
  const all = [...COMPOSER, ...commands.map(({ key, does }) => ({ keys: [NAMES[key] ?? key], does }))];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        {all.map(({ keys: pressed, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {pressed.map((name) => (
                <Key key={name}>{name}</Key>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2 border-t border-line pt-4 text-sm">
        <input
          type="checkbox"
          checked={keys}
          onChange={({ target }) => settings.change({ keys: target.checked })}
          className="size-4 accent-accent"
        />
        Use single-key shortcuts (Esc always works)
      </label>
    </Dialog>
  );
};

const Key = ({ children }: { readonly children: ReactNode }) => (
  <kbd className="rounded-sm border border-line bg-card px-1.5 py-0.5 font-mono text-xs text-ink">{children}</kbd>
);

const NAMES: Readonly<Record<string, string>> = { Escape: "Esc" };
