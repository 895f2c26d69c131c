import { Button } from "../kit/button.tsx";

/** A share link as listed by the server. */
export interface ListedLink {
  readonly id: string;
  readonly created: number;
  readonly expires: number;
  readonly by?: string;
  readonly answer?: boolean;
  readonly request?: boolean;
  readonly chat?: boolean;
}

export interface LinkListProps {
  readonly links: readonly ListedLink[];
  readonly isBusy: boolean;
  readonly onRevoke: (link: ListedLink) => void;
}

/** The active links, each with a button to revoke it. */
export const LinkList = ({ links, isBusy, onRevoke }: LinkListProps) => (
  <section aria-label="Active links" className="flex flex-col gap-1">
    <h3 className="font-medium">Active links</h3>
    <ul className="flex max-h-48 flex-col gap-1 overflow-y-auto">
      {links.map((link) => (
        <li key={link.id} className="flex items-center justify-between gap-2">
          <span className="min-w-0 text-xs text-soft">
            <span className="text-ink">{allows(link)}</span>
            <br />
            Created {time(link.created)}
            {link.by && ` by ${link.by}`}, expires {time(link.expires)}
          </span>
          <Button
            disabled={isBusy}
            aria-label={`Revoke the link created ${time(link.created)}`}
            onClick={() => onRevoke(link)}
          >
            Revoke
          </Button>
        </li>
      ))}
    </ul>
  </section>
);

const allows = ({ answer, request, chat }: ListedLink): string => {
  if (chat) return "Links in chat messages";
  const does = answer ? "Watch and answer" : "Watch";
  return request ? `${does}, with instructions and earlier messages` : does;
};

const time = (at: number): string => new Date(at).toLocaleString();
