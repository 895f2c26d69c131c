import type { ReactNode } from "react";
import { type Inline, namesPlace, plainText, safeUrl, visibleText } from "runcast/markdown";

interface LinkViewProps {
  readonly link: Extract<Inline, { kind: "link" }>;
  readonly children: ReactNode;
}

/** A link that shows its host, unless the text already names it. */
export const LinkView = ({ link, children }: LinkViewProps) => {
  if (link.url === "") return <span className="md-pending">{children}</span>;
  const target = safeUrl(link.url);
  if (!target)
    return (
      <span title={visibleText(link.url.slice(0, 200))}>
        <bdi>{children}</bdi> <span className="md-place">(unsafe link removed)</span>
      </span>
    );
  return (
    <>
      <a href={target.href} title={visibleText(link.title) || undefined} target="_blank" rel="noreferrer noopener">
        <bdi>{children}</bdi>
      </a>
      {!namesPlace(plainText(link.children), target.place) && (
        <>
          {" "}
          <bdi className="md-place">{visibleText(target.place)}</bdi>
        </>
      )}
    </>
  );
};
