import type { LinkFacts } from "runcast/view";

/** A link from a model or tool. Only safe targets are linked, with their host shown, and no referrer is sent. */
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
