import type { LinkFacts } from "runcast/view";

/** A link that a model or tool gave: only where a browser should go, told where that is, and without saying whence. */
export const SafeLink = ({ link: { href, text, place } }: { readonly link: LinkFacts }) => {
  if (href === undefined) return <span className="[overflow-wrap:anywhere]">{text}</span>;
  return (
    <span>
      <a
        href={href}
        title={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        referrerPolicy="no-referrer"
        className="text-accent underline [overflow-wrap:anywhere]"
      >
        {text}
      </a>
      {place && <bdi className="text-xs text-soft"> {place}</bdi>}
    </span>
  );
};
