import type { CallNode } from "runcast/state";
import { describeResult, type ResultPart, visibleText } from "runcast/view";
import { CopyButton } from "../kit/copy-button.tsx";
import { FileView } from "./file-view.tsx";
import { Label } from "../kit/label.tsx";
import type { RunActions } from "./actions.ts";
import { useRunContext } from "./run-context.ts";
import { SafeLink } from "./safe-link.tsx";
import { ShapedView } from "./shaped-view.tsx";

/** The result of a call: each part rendered by its shape, and the value. */
export const Result = ({ call }: { readonly call: CallNode }) => {
  const { actions } = useRunContext();
  const result = describeResult(call);
  if (!result) return null;
  const { label, parts, data, places } = result;
  return (
    <div role="group" aria-label="Result" data-result className="flex min-w-0 flex-col gap-2">
      {parts.length > 0 && (
        <div>
          <Label text={label} beside={<CopyButton what="result" text={() => resultText(call, actions.file)} />} />
          <div className="flex flex-col gap-2">
            {parts.map((part, index) => (
              // Parts have no ids and never change.
              // oxlint-disable-next-line react/no-array-index-key
              <ContentView key={index} part={part} />
            ))}
          </div>
        </div>
      )}
      {places.length > 0 && (
        <ul aria-label="Files" data-places className="flex flex-wrap gap-1.5 font-mono text-xs text-soft">
          {places.map((place) => (
            <li key={place} className="min-w-0 truncate rounded-sm bg-sunken px-1.5 py-0.5" title={place}>
              {visibleText(place)}
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && (
        <div>
          <Label text="Data" beside={<CopyButton what="data" text={() => JSON.stringify(data, undefined, 2)} />} />
          <ShapedView value={data} />
        </div>
      )}
    </div>
  );
};

const ContentView = ({ part }: { readonly part: ResultPart }) => {
  switch (part.kind) {
    case "text":
      return <ShapedView text={part.text} />;
    case "value":
      return <ShapedView value={part.value} />;
    case "file":
      return <FileView file={part.file} />;
    case "link":
      return <SafeLink link={part.link} />;
  }
};

const MAX_COPIED = 20_000_000;

/** The complete result, including the content of files. */
const resultText = async ({ content = [], value }: CallNode, file: RunActions["file"]): Promise<string> => {
  if (content.length === 0) return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const parts = content.map(async (part) => {
    if (part.type === "text") return part.text;
    if (part.type === "json") return JSON.stringify(part.value, undefined, 2);
    if (part.type === "link") return part.url;
    if (part.head === undefined) return part.name ?? part.file;
    if (!file || part.bytes > MAX_COPIED) return `${part.head}\n…\n${part.tail ?? ""}`;
    return await (await file(part.file)).text();
  });
  return (await Promise.all(parts)).join("\n");
};
