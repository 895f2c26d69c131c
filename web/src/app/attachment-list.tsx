import { useEffect, useState } from "react";
import { counted, describeFile } from "runcast/view";
import { IconButton } from "../kit/button.tsx";
import { IconFile } from "../kit/icons.tsx";
import { IconClose } from "../kit/shell-icons.tsx";
import type { Attachment, Attachments } from "./use-attachments.ts";
import { useReadPart } from "./use-read-part.ts";

interface AttachmentListProps {
  readonly attachments: Pick<Attachments, "list" | "problems" | "remove">;
  /** Moves the focus after a file was removed. */
  readonly onRemoved: () => void;
}

/** The files attached to a message that is being written, and why some were left out. */
export const AttachmentList = ({ attachments: { list, problems, remove }, onRemoved }: AttachmentListProps) => (
  <>
    {list.length > 0 && (
      <ul aria-label="Attached files" className="flex max-h-40 flex-wrap gap-2 overflow-y-auto px-3 pt-3">
        {list.map((attached) => (
          <li
            key={attached.id}
            className="flex max-w-full items-center gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-2 text-sm"
          >
            <Thumbnail attached={attached} />
            <span className="min-w-0">
              <span className="block max-w-48 truncate font-medium">{describeFile(attached).name}</span>
              <span className="block text-xs text-soft">{describeFile(attached).about}</span>
            </span>
            <IconButton
              label={`Remove ${describeFile(attached).name}`}
              onClick={() => {
                remove(attached.id);
                onRemoved();
              }}
            >
              <IconClose className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
    )}
    <div role="alert" className="px-4 pt-2 text-sm text-bad empty:hidden">
      {problems.length > 0 && (
        <ul>
          {problems.slice(0, 5).map((problem, index) => (
            <li key={index}>{problem}</li>
          ))}
          {problems.length > 5 && <li>Not attached: {counted(problems.length - 5, "more file")}.</li>}
        </ul>
      )}
    </div>
  </>
);

const Thumbnail = ({ attached: { file, part, mediaType } }: { readonly attached: Attachment }) => {
  const [url, setUrl] = useState<string>();
  const read = useReadPart();
  useEffect(() => {
    if (!mediaType.startsWith("image/")) return;
    let made: string | undefined;
    let isStale = false;
    const show = (blob: Blob): void => {
      if (!isStale) setUrl((made = URL.createObjectURL(blob)));
    };
    if (file) show(file);
    else if (part)
      read(part)
        .then((response) => response.blob())
        // Without a picture, the name is enough.
        .then(show, () => {});
    return () => {
      isStale = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [file, part?.run, part?.file, mediaType, read]);
  return url ? (
    <img src={url} alt="" className="size-9 rounded-sm object-cover" />
  ) : (
    <IconFile className="size-5 shrink-0 text-soft" />
  );
};
