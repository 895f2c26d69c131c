import type { BrowserTool } from "../embeds/browser-tool.ts";
import type { Cell } from "../kit/cell.ts";
import { createKeptCell } from "../kit/kept-cell.ts";

export interface SavedServer {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
}

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  /** Whether single-key commands are enabled. They can interfere with speech input. */
  readonly keys: boolean;
  /** Whether to notify the user of events while the page is hidden. */
  readonly notify: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly system: string;
  readonly servers: readonly SavedServer[];
  /** Tools that this browser runs itself. */
  readonly browserTools: readonly BrowserTool[];
  readonly sidebar: boolean;
  /** The name of the open panel. A name that the page does not know opens none. */
  readonly panel: string | undefined;
}

const NAME = "runcast.settings";
const NARROW = "(max-width: 63.99rem)";

/** The user's settings, stored on the device and shared by all tabs. */
export interface SettingsCell extends Cell<Settings> {
  change(part: Partial<Settings>): void;
}

export const createSettings = (): SettingsCell => {
  const cell = createKeptCell(NAME, parseSettings);
  // Without room for columns, nothing may cover the conversation unasked.
  const narrow = matchMedia(NARROW);
  const closeColumns = (): void => {
    if (narrow.matches) cell.show({ ...cell.get(), sidebar: false, panel: undefined });
  };
  narrow.addEventListener("change", closeColumns);
  closeColumns();
  return { ...cell, change: (part) => cell.set({ ...cell.get(), ...part }) };
};

/** Uses the valid parts of the stored value. */
export const parseSettings = (kept: unknown): Settings => {
  const known: Stored = typeof kept === "object" && kept !== null ? kept : {};
  const { theme, keys, notify, agent, model, mode, system, servers, browserTools, sidebar } = known;
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    keys: keys !== false,
    notify: notify === true,
    ...(typeof agent === "string" && { agent }),
    ...(typeof model === "string" && { model }),
    ...(typeof mode === "string" && { mode }),
    system: typeof system === "string" ? system : "",
    servers: Array.isArray(servers) ? servers.filter(isServer) : [],
    browserTools: Array.isArray(browserTools) ? browserTools.filter(isBrowserTool) : [],
    sidebar: sidebar !== false,
    panel: panelOf(known),
  };
};

/** Settings of earlier versions have two switches, `tools` and `outline`, instead of `panel`. */
type Stored = Partial<Record<keyof Settings | "tools" | "outline", unknown>>;

const panelOf = ({ panel, tools, outline }: Stored): string | undefined => {
  if (panel !== undefined) return typeof panel === "string" ? panel : undefined;
  return tools === true ? "tools" : outline === true ? "outline" : undefined;
};

const isServer = (value: unknown): value is SavedServer => {
  if (typeof value !== "object" || value === null) return false;
  const { name, url, enabled } = value as Record<string, unknown>;
  return typeof name === "string" && typeof url === "string" && typeof enabled === "boolean";
};

const isBrowserTool = (value: unknown): value is BrowserTool => {
  if (typeof value !== "object" || value === null) return false;
  const { name, url } = value as Record<string, unknown>;
  return typeof name === "string" && typeof url === "string" && URL.canParse(url);
};

/** Keys of MCP servers are stored in the tab and sent as secrets, never stored with a conversation. */
const serverKeyName = (name: string): string => `runcast.server.${name}`;
export const readServerKey = (name: string): string | undefined =>
  sessionStorage.getItem(serverKeyName(name)) ?? undefined;
export const keepServerKey = (name: string, key: string): void =>
  key ? sessionStorage.setItem(serverKeyName(name), key) : sessionStorage.removeItem(serverKeyName(name));

/** The settings of a run request, besides its messages. */
export const requestOf = (settings: Settings) => {
  const { agent, model, mode, system, servers, browserTools } = settings;
  const tools = browserTools.map(({ url: _url, method: _method, ...tool }) => tool);
  const enabled = servers.filter(({ enabled: isOn }) => isOn).map(({ name, url }) => ({ name, url }));
  const secrets: Record<string, string> = {};
  for (const { name } of enabled) {
    const key = readServerKey(name);
    if (key) secrets[`MCP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_KEY`] = key;
  }
  return {
    settings: {
      ...(agent && { agent }),
      ...(model && { model }),
      ...(mode && { mode }),
      ...(system.trim() && { system: system.trim() }),
      ...(enabled.length > 0 && { servers: enabled }),
      ...(tools.length > 0 && { tools }),
    },
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
};
