import type { ReactNode } from "react";
import { IconButton } from "../kit/button.tsx";
import { usePage } from "../session/page-context.ts";
import { IconKeyboard, IconMenu, IconRuns, IconSettings } from "../kit/shell-icons.tsx";
import type { PanelChoice } from "./panel-choice.ts";

export interface TopBarProps {
  readonly title: string;
  readonly state: ReactNode;
  readonly sidebar?: { readonly isOpen: boolean; readonly toggle: () => void };
  readonly panels?: PanelChoice;
  readonly children?: ReactNode;
}

export const TopBar = ({ title, state, sidebar, panels, children }: TopBarProps) => {
  const { access, route, dialog } = usePage();
  return (
    <header className="flex h-14 shrink-0 items-center gap-1 border-b border-line bg-card px-2 max-sm:gap-0 max-sm:px-1">
      {sidebar && (
        <IconButton label="Conversations" aria-pressed={sidebar.isOpen} onClick={sidebar.toggle}>
          <IconMenu />
        </IconButton>
      )}
      <div className={`min-w-0 grow ${sidebar ? "px-1.5" : "px-2 max-sm:px-3"}`}>
        <h1 className="truncate text-sm font-semibold">{title}</h1>
        {state}
      </div>
      {children}
      {access.token === undefined && !route.get().board && (
        <IconButton label="All runs" onClick={() => route.go({ board: {} })}>
          <IconRuns />
        </IconButton>
      )}
      {panels?.all.map(({ name, label, Icon }) => (
        <IconButton
          key={name}
          label={label}
          aria-pressed={panels.open?.name === name}
          onClick={() => panels.toggle(name)}
        >
          <Icon />
        </IconButton>
      ))}
      <IconButton label="Keyboard shortcuts" className="max-md:hidden" onClick={() => dialog.set("keys")}>
        <IconKeyboard />
      </IconButton>
      <IconButton label="Settings" onClick={() => dialog.set("settings")}>
        <IconSettings />
      </IconButton>
    </header>
  );
};
