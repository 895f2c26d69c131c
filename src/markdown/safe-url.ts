/** A permitted link target: web and email only, nothing that executes code or reads from this page's origin. */
export interface SafeUrl {
  readonly href: string;
  /** The real target that the user must see: the host in its ASCII form, or the email address. */
  readonly place: string;
}

export const safeUrl = (url: string): SafeUrl | undefined => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(url) || url.length > 8192) return undefined;
  try {
    const { href, protocol, host, pathname } = new URL(url);
    if (protocol === "mailto:") return { href, place: decoded(pathname) };
    // User info before an @ is usually there to look like the host.
    const { username, password } = new URL(url);
    return username || password ? undefined : { href, place: host };
  } catch {
    return undefined;
  }
};

/** Whether a link's text is itself an address at that place, rather than merely containing it. */
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
