import { createContext, useContext } from "react";
import type { Access } from "./access.ts";
import type { Announcer } from "./announcer.ts";
import type { PageAttention } from "./attention.ts";
import type { Cell } from "../kit/cell.ts";
import type { ModelKeys } from "./model-keys.ts";
import type { RouteCell } from "./route.ts";
import type { SettingsCell } from "./settings.ts";

export type DialogName = "settings" | "keys" | "share";

/** Shared by all parts of the page. Does not change while the page is open. */
export interface PageContextValue {
  readonly access: Access;
  readonly settings: SettingsCell;
  readonly modelKeys: ModelKeys;
  readonly route: RouteCell;
  readonly announcer: Announcer;
  readonly attention: PageAttention;
  readonly dialog: Cell<DialogName | undefined>;
}

export const PageContext = createContext<PageContextValue | undefined>(undefined);

export const usePage = (): PageContextValue => {
  const value = useContext(PageContext);
  if (!value) throw new Error("this can only be shown inside the page");
  return value;
};
