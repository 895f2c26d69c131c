import { createContext, useContext } from "react";
import type { Cell } from "../kit/cell.ts";
import type { AllowedOrigins } from "./origins.ts";
import type { Permission } from "./permissions.ts";

/** The user's permissions for embeds, stored on the device. */
export interface EmbedsContextValue {
  /** What embeds may do. */
  readonly permissions: Cell<readonly Permission[]>;
  /** What embeds may reach. */
  readonly origins: Cell<AllowedOrigins>;
}

export const EmbedsContext = createContext<EmbedsContextValue | undefined>(undefined);

/** Whether embeds can be shown at all. They cannot inside a frame of another page. */
export const useCanEmbed = (): boolean => useContext(EmbedsContext) !== undefined;

export const useEmbeds = (): EmbedsContextValue => {
  const value = useContext(EmbedsContext);
  if (!value) throw new Error("an embed can only be shown inside an EmbedsContext");
  return value;
};
