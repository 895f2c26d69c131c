import { useMemo, useState } from "react";
import type { Json } from "runcast/events";
import { parsed } from "runcast/view";
import type { Shapeable } from "./shape.ts";
import { SHAPES } from "./shapes.ts";

const LONGEST_JSON = 2_000_000;

/** A tool's text or value, in the first shape that fits. The user can choose any other that fits. */
export const ShapedView = ({ text, value, isCsv = false }: Shapeable) => {
  const fitting = useMemo(() => shapesOf(text, value, isCsv), [text, value, isCsv]);
  const [chosen, setChosen] = useState<string>();
  const shown = fitting.find(({ label }) => label === chosen) ?? fitting[0];
  if (!shown) return null;
  return (
    <div>
      {shown.view}
      {fitting.length > 1 && (
        <p className="mt-1 flex flex-wrap gap-x-3">
          {fitting.map(
            ({ label }) =>
              label !== shown.label && (
                <button
                  key={label}
                  type="button"
                  onClick={() => setChosen(label)}
                  className="cursor-pointer text-xs text-accent underline"
                >
                  {label}
                </button>
              ),
          )}
        </p>
      )}
    </div>
  );
};

const shapesOf = (text: string | undefined, given: Json | undefined, isCsv: boolean) => {
  const value = text !== undefined && text.length <= LONGEST_JSON ? (parsed(text) ?? given) : given;
  return SHAPES.flatMap(({ label, show }) => {
    const view = show({ text, value, isCsv });
    return view ? [{ label, view }] : [];
  });
};
