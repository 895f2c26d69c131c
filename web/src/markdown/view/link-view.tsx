import type { MouseEvent } from "react";
import type { Inline } from "../inline.ts";
import { plainText } from "../inline/brackets.ts";
import { safeUrl } from "../safe-url.ts";
import { visibleText } from "../visible-text.ts";
import { inlineViews } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";

/** A link that says where it leads: its host stands beside it unless the text already names it. */
export const LinkView = ({ link }: { readonly link: Extract<Inline, { kind: "link" }> }) => {
  const { onLink } = useMarkdown();
  if (link.url === "") return <span className="md-pending">{inlineViews(link.children)}</span>;
  const target = safeUrl(link.url);
  if (!target)
    return (
      <span title={visibleText(link.url.slice(0, 200))}>
        <bdi>{inlineViews(link.children)}</bdi> <span className="md-place">(link not followed)</span>
      </span>
    );
  const follow = (event: MouseEvent) => {
    event.preventDefault();
    onLink?.(target.href);
  };
  return (
    <>
      <a
        href={target.href}
        title={visibleText(link.title) || undefined}
        target="_blank"
        rel="noreferrer noopener"
        onClick={onLink && follow}
      >
        <bdi>{inlineViews(link.children)}</bdi>
      </a>
      {!names(plainText(link.children), target.place) && (
        <>
          {" "}
          <bdi className="md-place">{visibleText(target.place)}</bdi>
        </>
      )}
    </>
  );
};

/** Whether the text is an address at the place itself, not one that merely has it somewhere in it. */
const names = (text: string, place: string): boolean => {
  const shown = text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)/, "");
  const wanted = place.toLowerCase();
  return shown === wanted || [..."/?#"].some((mark) => shown.startsWith(wanted + mark));
};
