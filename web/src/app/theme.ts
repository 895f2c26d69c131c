import type { Settings } from "../session/settings.ts";

export const applyTheme = (theme: Settings["theme"]): void => {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
};
