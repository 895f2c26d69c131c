import { lazy, Suspense } from "react";
import { useCell } from "../kit/cell.ts";
import { usePage } from "../session/page-context.ts";
import type { KeyCommand } from "./keys.ts";

const SettingsDialog = lazy(() =>
  import("./settings-dialog.tsx").then((module) => ({ default: module.SettingsDialog })),
);
const KeysDialog = lazy(() => import("./keys-dialog.tsx").then((module) => ({ default: module.KeysDialog })));

/** The dialogs that every page has. They load when they open. */
export const PageDialogs = ({ commands }: { readonly commands: readonly KeyCommand[] }) => {
  const { dialog } = usePage();
  const open = useCell(dialog);
  const close = () => dialog.set(undefined);
  return (
    <Suspense>
      {open === "settings" && <SettingsDialog onClose={close} />}
      {open === "keys" && <KeysDialog commands={commands} onClose={close} />}
    </Suspense>
  );
};
