import { useEffect, useState } from "react";
import { describeFile, fileShape, LONGEST_CSV, messageOf } from "runcast/view";
import type { FileRef, Json } from "runcast/events";
import { IconDownload, IconFile } from "../kit/icons.tsx";
import { LargeImage } from "../kit/lightbox.tsx";
import { Toggle } from "../kit/toggle.tsx";
import { useCanEmbed } from "../embeds/embeds-context.ts";
import { GatedFrame } from "../embeds/gated-frame.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { FilePages } from "./file-pages.tsx";
import { useRunContext } from "./run-context.ts";
import { PlainText } from "./plain-text.tsx";
import { ShapedView } from "./shaped-view.tsx";

type ShownFile = Partial<FileRef> & { readonly file: string; readonly change?: "created" | "changed" | "deleted" };

const WHOLE = 5_000_000;

/** The files that can be shown by their type, and the bytes up to which they are. */
const SHAPED: Partial<Record<ReturnType<typeof fileShape>, number>> = {
  json: WHOLE,
  markdown: WHOLE,
  html: WHOLE,
  csv: LONGEST_CSV,
};

/** A file stored with the log: its type, its head and tail, its full content on demand, and a download. */
export const FileView = ({ file }: { readonly file: ShownFile }) => {
  const { actions } = useRunContext();
  const { mediaType, bytes = 0, name, head, tail } = file;
  const shape = fileShape(mediaType, name);
  const facts = describeFile(file);
  const canFetch = actions.file !== undefined && !facts.isDeleted;
  const hasShape = canFetch && bytes <= (SHAPED[shape] ?? -1);
  const [view, setView] = useState<"none" | "pages" | "shape">(
    shape === "image" || (shape === "csv" && hasShape && bytes > 0) ? "shape" : "none",
  );
  const toggle = (to: "pages" | "shape") => setView(view === to ? "none" : to);
  return (
    <div className="flex min-w-0 flex-col gap-1.5" data-file={file.file}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="inline-flex min-w-0 items-center gap-1.5">
          <IconFile className="size-4 text-soft" />
          <span className={`truncate font-medium ${facts.isDeleted ? "line-through" : ""}`}>{facts.name}</span>
        </span>
        <span className="text-xs text-soft">{facts.about}</span>
        {canFetch && (
          <span className="flex flex-wrap items-center gap-x-3">
            {hasShape && (
              <Toggle kind="link" on={view === "shape"} press={() => toggle("shape")}>
                {shape === "json" ? "Data" : shape === "csv" ? "Table" : "Preview"}
              </Toggle>
            )}
            {shape !== "image" && shape !== "other" && (
              <Toggle kind="link" on={view === "pages"} press={() => toggle("pages")}>
                Show all
              </Toggle>
            )}
            <Download file={file} />
          </span>
        )}
      </div>
      {view === "none" && head !== undefined && (
        <PlainText
          text={tail === undefined || bytes <= head.length ? head : `${head}\n\n  …\n\n${tail}`}
          label="Beginning and end of the file"
        />
      )}
      {view === "pages" && <FilePages file={file.file} bytes={bytes} />}
      {view === "shape" && canFetch && <Preview file={file} shape={shape} />}
    </div>
  );
};

type Loaded = { readonly text: string } | { readonly url: string } | { readonly trouble: string };

/** The whole file, rendered by its type. */
const Preview = ({
  file: shown,
  shape,
}: {
  readonly file: ShownFile;
  readonly shape: ReturnType<typeof fileShape>;
}) => {
  const { actions, state } = useRunContext();
  const { file } = shown;
  const { name } = describeFile(shown);
  const canEmbed = useCanEmbed();
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let url: string | undefined;
    let isStale = false;
    const load = async (): Promise<Loaded> => {
      const response = await actions.file!(file);
      if (shape !== "image") return { text: await response.text() };
      // Fetched, because a link cannot carry the key.
      url = URL.createObjectURL(await response.blob());
      return { url };
    };
    load()
      .catch((error: unknown): Loaded => ({ trouble: messageOf(error) }))
      .then((made) => (isStale ? url && URL.revokeObjectURL(url) : setLoaded(made)))
      .catch(() => {});
    return () => {
      isStale = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [actions, file, shape]);
  if (!loaded) return <p className="text-xs text-soft">Loading…</p>;
  if ("trouble" in loaded) return <p className="text-sm text-bad">The file could not be loaded: {loaded.trouble}</p>;
  if ("url" in loaded)
    return (
      <LargeImage
        src={loaded.url}
        alt={name}
        className="max-h-96 max-w-full rounded-md border border-line bg-paper object-contain"
      />
    );
  if (shape === "csv") return <ShapedView text={loaded.text} isCsv />;
  if (shape === "json") return <JsonText text={loaded.text} />;
  if (shape === "html")
    return canEmbed ? (
      <GatedFrame html={loaded.text} title={name} holder={state.root.name} />
    ) : (
      <PlainText text={loaded.text} />
    );
  return (
    <div
      className="max-h-[32rem] overflow-auto rounded-md border border-line px-3 py-2"
      tabIndex={0}
      role="group"
      aria-label={`Preview of ${name}`}
    >
      <Markdown text={loaded.text} done />
    </div>
  );
};

const JsonText = ({ text }: { readonly text: string }) => {
  const [value] = useState(() => {
    try {
      return { value: JSON.parse(text) as Json };
    } catch {
      return undefined;
    }
  });
  return value ? (
    <ShapedView value={value.value} />
  ) : (
    <p className="text-sm text-soft">This is not valid JSON. Use “Show all”.</p>
  );
};

const Download = ({ file: { file, name } }: { readonly file: ShownFile }) => {
  const { actions } = useRunContext();
  const [note, setNote] = useState("");
  const style = "inline-flex cursor-pointer items-center gap-1 text-xs text-accent underline";
  const url = actions.link?.(file);
  if (url !== undefined)
    return (
      <a href={url} download={name ?? ""} className={style}>
        <IconDownload className="size-3.5" />
        Download
      </a>
    );
  const download = async () => {
    setNote("Downloading…");
    try {
      const made = URL.createObjectURL(await (await actions.file!(file)).blob());
      Object.assign(document.createElement("a"), { href: made, download: name ?? file }).click();
      setTimeout(() => URL.revokeObjectURL(made), 60_000);
      setNote("");
    } catch (error) {
      setNote(messageOf(error));
    }
  };
  return (
    <button type="button" onClick={() => void download()} className={style}>
      <IconDownload className="size-3.5" />
      Download
      <span role="status">{note}</span>
    </button>
  );
};
