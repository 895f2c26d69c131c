import { byteText } from "runcast/amounts";
import type { Content, Json } from "runcast/events";
import type { CallNode } from "runcast/state";
import { CopyButton } from "../kit/copy-button.tsx";
import { FileView } from "./file-view.tsx";
import { Label } from "../kit/label.tsx";
import type { RunActions } from "./actions.ts";
import { useRunContext } from "./run-context.ts";
import { SafeLink } from "./safe-link.tsx";
import { TextResult } from "./text-result.tsx";
import { ValueView } from "./value-view.tsx";

/** What a call answered with: each of its parts in the shape that suits it, and its value. */
export const Result = ({ call }: { readonly call: CallNode }) => {
  const { actions } = useRunContext();
  const { content = [], value, bytes } = call;
  if (content.length === 0 && value === undefined) return null;
  const isSame = value !== undefined && content.some((part) => isSaying(part, value));
  const size = bytes?.result;
  return (
    <div role="group" aria-label="Result" data-result className="flex min-w-0 flex-col gap-2">
      <div>
        <Label
          text={size !== undefined && size > 4096 ? `Result, ${byteText(size)}` : "Result"}
          beside={<CopyButton what="result" text={() => resultText(call, actions.file)} />}
        />
        <div className="flex flex-col gap-2">
          {content.map((part, index) => (
            // Parts have no ids and never change.
            // oxlint-disable-next-line react/no-array-index-key
            <ContentView key={index} part={part} />
          ))}
          {content.length === 0 && <ValueView value={value} />}
        </div>
      </div>
      {value !== undefined && content.length > 0 && !isSame && (
        <div>
          <Label text="Data" beside={<CopyButton what="data" text={() => JSON.stringify(value, undefined, 2)} />} />
          <ValueView value={value} />
        </div>
      )}
    </div>
  );
};

const ContentView = ({ part }: { readonly part: Content }) => {
  switch (part.type) {
    case "text":
      return <TextResult text={part.text} />;
    case "json":
      return <ValueView value={part.value as Json} />;
    case "file":
      return <FileView file={part} />;
    case "link":
      return <SafeLink url={part.url} title={part.title} />;
  }
};

/** Whether a part only repeats the value. */
const isSaying = (part: Content, value: Json): boolean => {
  if (part.type === "json") return JSON.stringify(part.value) === JSON.stringify(value);
  if (part.type !== "text" || part.text.length > 200_000) return false;
  const text = part.text.trim();
  return text === JSON.stringify(value) || text === JSON.stringify(value, undefined, 2) || text === value;
};

const MOST_COPIED = 20_000_000;

/** All of it, also what lies in files. */
const resultText = async ({ content = [], value }: CallNode, file: RunActions["file"]): Promise<string> => {
  if (content.length === 0) return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const parts = content.map(async (part) => {
    if (part.type === "text") return part.text;
    if (part.type === "json") return JSON.stringify(part.value, undefined, 2);
    if (part.type === "link") return part.url;
    if (part.head === undefined) return part.name ?? part.file;
    if (!file || part.bytes > MOST_COPIED) return `${part.head}\n…\n${part.tail ?? ""}`;
    return await (await file(part.file)).text();
  });
  return (await Promise.all(parts)).join("\n");
};
