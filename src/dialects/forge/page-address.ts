const START = "ui://runcast/";

/** The address that this family's clients use to fetch a page that a run embeds. */
export const pageAddress = (run: string, embed: string): string =>
  `${START}${encodeURIComponent(run)}/${encodeURIComponent(embed)}`;

export const readPageAddress = (address: string): { readonly run: string; readonly embed: string } | undefined => {
  const [run, embed, ...rest] = address.startsWith(START) ? address.slice(START.length).split("/") : [];
  if (!run || !embed || rest.length > 0) return undefined;
  try {
    return { run: decodeURIComponent(run), embed: decodeURIComponent(embed) };
  } catch {
    return undefined;
  }
};
