import { parseJson } from "runcast/json";
import { type Cell, createCell } from "./cell.ts";

/** A value that is kept on the device and is the same in every tab. */
export interface KeptCell<Value> extends Cell<Value> {
  /** As `set`, for this tab and for as long as it lives. */
  show(value: Value): void;
}

/** `parse` makes of whatever was kept under `name` (undefined: nothing, or no JSON) what can be used of it. */
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
      // The browser keeps nothing: it holds for as long as the tab lives.
    }
  };
  return { ...cell, set, show: cell.set };
};
