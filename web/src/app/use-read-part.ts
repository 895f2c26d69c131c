import { useCallback } from "react";
import { uploadedFile } from "../conversations/upload-files.ts";
import type { ReadPart } from "../run/attachment-view.tsx";
import { usePage } from "../session/page-context.ts";

/** Reads the files of messages. A file without a run belongs to `own`. */
export const useReadPart = (own = ""): ReadPart => {
  const { client } = usePage().access;
  return useCallback(
    async ({ run = own, file = "" }) => {
      const here = uploadedFile(run, file);
      return here ? new Response(here) : await client.file(run, file);
    },
    [client, own],
  );
};
