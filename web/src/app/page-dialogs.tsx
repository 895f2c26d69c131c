import { lazy, Suspense } from "react";
import { useCell } from "../kit/cell.ts";
import { usePage } from "../session/page-context.ts";
import type { KeyCommand } from "./keys.ts";
import { SettingsDialog } from "./settings-dialog.tsx";

const KeysDialog = lazy(() => import("./keys-dialog.tsx").then((module) => ({ default: module.KeysDialog })));

/** The dialogs that every page has. */
export const PageDialogs = ({ commands }: { readonly commands: readonly KeyCommand[] }) => {
  const { dialog } = usePage();
  const open = useCell(dialog);
  const close = () => dialog.set(undefined);
  if (open === "settings") return <SettingsDialog onClose={close} />;
  if (open !== "keys") return null;
  return (
    <Suspense>
      <KeysDialog commands={commands} onClose={close} />
    </Suspense>
  );
};
