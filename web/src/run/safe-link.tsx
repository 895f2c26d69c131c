import { visibleText } from "runcast/markdown";
/** A link that a model or tool gave: only where a browser should go, told where that is, and without saying whence. */
export const SafeLink = ({ url, title }: { readonly url: string; readonly title?: string | undefined }) => {
  const shown = visibleText(title?.trim() || url);
  if (!isWeb(url)) return <span className="[overflow-wrap:anywhere]">{shown}</span>;
  return (
    <a
      href={url}
      title={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      className="text-accent underline [overflow-wrap:anywhere]"
    >
      {shown}
    </a>
  );
};

export const isWeb = (url: string): boolean => /^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url);
