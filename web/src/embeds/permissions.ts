/** What embeds may do beyond running scripts, as chosen in the settings. `same-origin` is not among them: see the server's frame. */
export const PERMISSIONS = {
  forms: "Submit forms",
  popups: "Open new windows",
  modals: "Show alerts and prompts",
  downloads: "Start downloads",
  "pointer-lock": "Capture the pointer",
} as const;

export type Permission = keyof typeof PERMISSIONS;

const KEY = "runcast.embed-permissions";

export const readPermissions = (storage: Pick<Storage, "getItem">): readonly Permission[] => {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(stored)
      ? (Object.keys(PERMISSIONS) as Permission[]).filter((name) => stored.includes(name))
      : [];
  } catch {
    return [];
  }
};

export const writePermissions = (storage: Pick<Storage, "setItem">, permissions: readonly Permission[]): void => {
  try {
    storage.setItem(KEY, JSON.stringify(permissions));
  } catch {
    // Without storage the choice holds until the page is left.
  }
};
