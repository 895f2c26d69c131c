/** What embeds may do beyond running scripts, as chosen in the settings. `same-origin` is deliberately absent: see the server's frame. */
export const PERMISSIONS = {
  forms: "Submit forms",
  popups: "Open new windows",
  modals: "Show alerts and prompts",
  downloads: "Start downloads",
  "pointer-lock": "Capture the pointer",
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** Reads the stored value and drops unknown permissions. */
export const parsePermissions = (kept: unknown): readonly Permission[] =>
  Array.isArray(kept) ? (Object.keys(PERMISSIONS) as Permission[]).filter((name) => kept.includes(name)) : [];
