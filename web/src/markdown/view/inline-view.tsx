import type { ReactNode } from "react";
import { type Inline, visibleText } from "runcast/markdown";
import { ImageView } from "./image-view.tsx";
import { LinkView } from "./link-view.tsx";
import { MathView } from "./math-view.tsx";

export const InlineView = ({ inlines }: { readonly inlines: readonly Inline[] }): ReactNode => inlineViews(inlines);

const inlineViews = (inlines: readonly Inline[]): ReactNode => inlines.map(inlineView);

const inlineView = (inline: Inline, key: number): ReactNode => {
  switch (inline.kind) {
    case "text":
      return visibleText(inline.text);
    case "code":
      return <code key={key}>{visibleText(inline.text)}</code>;
    case "break":
      return <br key={key} />;
    case "emphasis":
      return <em key={key}>{inlineViews(inline.children)}</em>;
    case "strong":
      return <strong key={key}>{inlineViews(inline.children)}</strong>;
    case "deleted":
      return <del key={key}>{inlineViews(inline.children)}</del>;
    case "math":
      return <MathView key={key} text={inline.text} display={inline.display} />;
    case "link":
      return (
        <LinkView key={key} link={inline}>
          {inlineViews(inline.children)}
        </LinkView>
      );
    case "image":
      return <ImageView key={key} image={inline} />;
  }
};
