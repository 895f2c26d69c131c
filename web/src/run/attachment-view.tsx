import { useEffect, useState } from "react";
import type { Part } from "runcast/events";
import { describeFile, messageOf } from "runcast/view";
import { IconFile } from "../kit/icons.tsx";
import { LargeImage } from "../kit/lightbox.tsx";
import { saveFile } from "../kit/save-file.ts";

export type FilePart = Extract<Part, { type: "file" }>;
/** Reads the bytes of a message's file. */
export type ReadPart = (part: FilePart) => Promise<Response>;

const IMAGES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

/** A file of the user's message. Images are shown, other files are listed by name and can be saved. */
export const AttachmentView = ({ part, read }: { readonly part: FilePart; readonly read: ReadPart | undefined }) => {
  const { mediaType, bytes } = part;
  const { name, about } = describeFile({ name: part.name ?? "A file", mediaType, bytes });
  const [note, setNote] = useState("");
  const isKept = part.file !== undefined && read !== undefined;
  if (isKept && IMAGES.test(mediaType)) return <Picture part={part} read={read} name={name} />;
  const save = async () => {
    setNote("Downloading…");
    try {
      saveFile(part.name ?? "file", await (await read!(part)).blob());
      setNote("");
    } catch (error) {
      setNote(messageOf(error));
    }
  };
  const label = (
    <>
      <IconFile className="size-4 shrink-0 text-soft" />
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-xs text-soft">{about}</span>
    </>
  );
  const style = "inline-flex max-w-full items-center gap-1.5 rounded-lg border border-line bg-card px-2 py-1 text-sm";
  if (!isKept) return <span className={style}>{label}</span>;
  return (
    <span className="inline-flex max-w-full flex-col">
      <button type="button" title={`Download ${name}`} className={`${style} hover:bg-tint`} onClick={() => void save()}>
        {label}
      </button>
      <span role="status" className="text-xs text-soft">
        {note}
      </span>
    </span>
  );
};

interface PictureProps {
  readonly part: FilePart;
  readonly read: ReadPart;
  readonly name: string;
}

const Picture = ({ part, read, name }: PictureProps) => {
  const [url, setUrl] = useState<string>();
  const [trouble, setTrouble] = useState("");
  const { run, file } = part;
  useEffect(() => {
    let made: string | undefined;
    let isStale = false;
    // Fetched, because a link cannot carry the key.
    read(part)
      .then((response) => response.blob())
      .then((blob) => {
        if (!isStale) setUrl((made = URL.createObjectURL(blob)));
      })
      .catch((error: unknown) => !isStale && setTrouble(messageOf(error)));
    return () => {
      isStale = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [read, run, file]);
  if (trouble) return <span className="text-sm text-bad">{`${name}: ${trouble}`}</span>;
  if (!url) return <span className="block size-24 rounded-md bg-sunken" aria-label={`Loading ${name}`} role="img" />;
  return <LargeImage src={url} alt={name} className="h-24 max-w-full rounded-md border border-line object-contain" />;
};
