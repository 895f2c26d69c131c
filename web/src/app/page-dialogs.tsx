import { useCell } from "../kit/cell.ts";
import { loadLater } from "../kit/load-later.tsx";
import { usePage } from "../session/page-context.ts";
import type { KeyCommand } from "./keys.ts";

const SettingsDialog = loadLater(async () => (await import("./settings-dialog.tsx")).SettingsDialog);
const KeysDialog = loadLater(async () => (await import("./keys-dialog.tsx")).KeysDialog);

/** The dialogs that every page has. They load when they open. */
export const PageDialogs = ({ commands }: { readonly commands: readonly KeyCommand[] }) => {
  const { dialog } = usePage();
  const open = useCell(dialog);
  const close = () => dialog.set(undefined);
  return (
    <>
      {open === "settings" && <SettingsDialog onClose={close} />}
      {open === "keys" && <KeysDialog commands={commands} onClose={close} />}
    </>
  );
};
