import type { Control } from "../log.ts";
import { checkText } from "./run-info.ts";

/** The maximum number of controls that a run accepts in its lifetime. */
export const MAX_CONTROLS = 10_000;

const MAX_ID = 128;

/** A control as JSON text. Throws if it cannot be stored. */
export const controlText = (control: Control): string => {
  checkText("id", control.id ?? null);
  if (control.id.length < 1 || control.id.length > MAX_ID)
    throw new TypeError(`a control's id must have 1 to ${MAX_ID} characters`);
  return JSON.stringify(control);
};
