import { parseJson } from "runcast/json";
import { type Cell, createCell } from "./cell.ts";

/** A value that is stored on the device and shared by all tabs. */
export interface KeptCell<Value> extends Cell<Value> {
  /** Like `set`, but only for this tab, without storing it. */
  show(value: Value): void;
}

/** `parse` turns the value stored under `name` (undefined if missing or not JSON) into a valid one. */
export const createKeptCell = <Value>(name: string, parse: (kept: unknown) => Value): KeptCell<Value> => {
  const cell = createCell(parse(parseJson(localStorage.getItem(name) ?? "")));
  addEventListener("storage", ({ key, newValue }) => {
    if (key === name) cell.set(parse(parseJson(newValue ?? "")));
  });
  const set = (value: Value): void => {
    cell.set(value);
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // The browser cannot store it, so it lasts as long as the tab.
    }
  };
  return { ...cell, set, show: cell.set };
};
