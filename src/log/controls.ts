import type { Control } from "../log.ts";
import { checkText } from "./run-info.ts";

/** How many controls a run can be sent in its life. */
export const MAX_CONTROLS = 10_000;

const MAX_ID = 128;

/** A control as JSON text. Throws for one that cannot be kept. */
export const controlText = (control: Control): string => {
  checkText("id", control.id ?? null);
  if (control.id.length < 1 || control.id.length > MAX_ID)
    throw new TypeError(`a control's id has 1 to ${MAX_ID} characters`);
  return JSON.stringify(control);
};
