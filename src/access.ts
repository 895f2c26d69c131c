import type { User } from "./events.ts";

/** What a key allows: to start runs, to watch them, to answer what they ask, and all of it for everybody's runs. */
export const RIGHTS = ["start", "watch", "answer", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** A key of the configuration. */
export interface Key {
  /** Says who did something, in the log. */
  readonly name: string;
  readonly key: string;
  /** Default: `start`, `watch` and `answer`. */
  readonly rights?: readonly Right[];
  /** The id of the user whose key it is: the runs of this user are its own. Default: its name. */
  readonly user?: string;
  /** It speaks for other people, whom its requests name. Only such a key is believed about users. */
  readonly onBehalf?: boolean;
}

/** Who makes a request, and what they may do. */
export interface Principal {
  readonly name: string;
  /** The id of the user; undefined for whoever speaks for many users or for none. */
  readonly user?: string;
  readonly rights: readonly Right[];
  readonly onBehalf?: boolean;
  /** A hash of the key that was shown. */
  readonly key?: string;
  /** The share link that was shown: it opens one run. */
  readonly link?: LinkAccess;
}

/** What a share link allows. */
export interface LinkAccess {
  readonly id: string;
  readonly run: string;
  readonly token: string;
  readonly expires: number;
  /** Besides watching: answering what the run asks. */
  readonly answer?: boolean;
  /** Besides what the run did: the request, with the system prompt and earlier messages. */
  readonly request?: boolean;
}

export type Action = "start" | "watch" | "answer" | "cancel" | "share";

/** A run, as far as access to it depends on it. */
export interface OwnedRun {
  readonly run: string;
  /** The id of the user who started it. */
  readonly user?: string | undefined;
}

const NEEDED: Readonly<Record<Action, readonly Right[]>> = {
  start: ["start"],
  watch: ["watch"],
  answer: ["answer"],
  cancel: ["start", "answer"],
  share: ["watch"],
};

/** Of these rights, one is needed. */
export const rightsFor = (action: Action): readonly Right[] => NEEDED[action];

/**
 * The one place that decides who may do what. A run belongs to the user who started it; others need `admin` or a share link,
 * and so does everybody for a run that belongs to nobody. Without `run`: whether the rights allow it at all.
 */
export const may = ({ rights, user, onBehalf, link }: Principal, action: Action, run?: OwnedRun): boolean => {
  if (link && run && run.run !== link.run) return false;
  if (link) return action === "watch" || (action === "answer" && link.answer === true);
  if (rights.includes("admin")) return true;
  if (!NEEDED[action].some((right) => rights.includes(right))) return false;
  if (run === undefined) return true;
  if (run.user === undefined) return false;
  return user === undefined ? onBehalf === true : run.user === user;
};

/** Whoever asks where no keys are configured: everything works, and what requests say about users is believed. */
export const LOCAL: Principal = { name: "", rights: RIGHTS, onBehalf: true };
/** Whoever shows no key, for what is open to everybody. */
export const NOBODY: Principal = { name: "", rights: [] };

/** Whoever shows the one key that a configuration has. */
export const holderOf = (key: string): Key & { readonly user?: never } => ({
  name: "key",
  key,
  rights: RIGHTS,
  onBehalf: true,
});

export const linkTo = (link: LinkAccess): Principal => ({
  name: `link-${link.id}`,
  rights: link.answer ? ["watch", "answer"] : ["watch"],
  link,
});

export const principalOf = ({ name, rights = ["start", "watch", "answer"], user, onBehalf }: Key): Principal => ({
  name,
  rights,
  ...(onBehalf ? { onBehalf, ...(user !== undefined && { user }) } : { user: user ?? name }),
});

/** The user whose run it becomes: whom the request names, if the principal is believed, or else the principal's own. */
export const startedBy = (principal: Principal, named: User | undefined): User | undefined => {
  const { name, user, rights, onBehalf } = principal;
  if (onBehalf && named) return named;
  if (user !== undefined) return { id: user };
  // Whoever may not see everything would not see a run that belongs to nobody.
  return rights.includes("admin") ? undefined : { id: name };
};

/** Who did something, for the log. Undefined where nobody has a name. */
export const actorOf = ({ user, name }: Principal): string | undefined => (user ?? name) || undefined;
