/** Where a link may lead: the web and mail, nothing that runs here or reads from this page's own origin. */
export interface SafeUrl {
  readonly href: string;
  /** What a person must see to know where it leads: the host in its plain spelling, or the mail address. */
  readonly place: string;
}

export const safeUrl = (url: string): SafeUrl | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(url) || url.length > 8192) return undefined;
  try {
    const { href, protocol, host, pathname } = new URL(url);
    if (protocol === "mailto:") return { href, place: decoded(pathname) };
    // A name before an @ is there to be taken for the host.
    const { username, password } = new URL(url);
    return username || password ? undefined : { href, place: host };
  } catch {
    return undefined;
  }
};

/** Whether a link's text is an address at the place itself, not one that merely has it somewhere in it. */
export const namesPlace = (text: string, place: string): boolean => {
  const shown = text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)/, "");
  const wanted = place.toLowerCase();
  return shown === wanted || [..."/?#"].some((mark) => shown.startsWith(wanted + mark));
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
