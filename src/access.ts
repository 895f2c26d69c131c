import type { User } from "./events.ts";

/** What a key allows: to start runs, to watch them, to answer what they ask, and all of it for everybody's runs. */
export const RIGHTS = ["start", "watch", "answer", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** What somebody may do unless it is said otherwise. */
export const USUAL_RIGHTS: readonly Right[] = ["start", "watch", "answer"];

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
  /** The id of the user; undefined for whoever may do everything and is nobody in particular. */
  readonly user?: string;
  readonly rights: readonly Right[];
  readonly onBehalf?: boolean;
  /** A hash of the key that was shown. */
  readonly key?: string;
  /** The key can be revoked while the server runs. */
  readonly isRevocable?: boolean;
  /** When the token that was shown expires, in milliseconds since 1970. */
  readonly expires?: number;
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

export type Action = "start" | "watch" | "answer" | "cancel" | "share" | "delete";

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
  delete: ["start"],
};

/** Of these rights, one is needed. */
export const rightsFor = (action: Action): readonly Right[] => NEEDED[action];

/**
 * The one place that decides who may do what. A run belongs to the user who started it; others need `admin` or a share link,
 * and so does everybody for a run that belongs to nobody. Without `run`: whether the rights allow it at all.
 */
export const may = ({ rights, user, link }: Principal, action: Action, run?: OwnedRun): boolean => {
  if (link && run && run.run !== link.run) return false;
  if (link) return action === "watch" || (action === "answer" && link.answer === true);
  if (rights.includes("admin")) return true;
  if (!NEEDED[action].some((right) => rights.includes(right))) return false;
  return run === undefined || (run.user !== undefined && run.user === user);
};

/** Whether somebody may see to the server itself. */
export const isAdmin = ({ rights, link }: Principal): boolean => !link && rights.includes("admin");

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

export const principalOf = ({ name, rights = USUAL_RIGHTS, user, onBehalf }: Key): Principal => {
  const isAnybody = onBehalf === true && rights.includes("admin");
  return {
    name,
    rights,
    ...(onBehalf && { onBehalf }),
    ...(user !== undefined ? { user } : !isAnybody && { user: name }),
  };
};

/** A front end that names the user it speaks for may do what that user may do with their runs, and no more. */
export const onBehalfOf = (principal: Principal, named: User | undefined): Principal =>
  principal.onBehalf && named && principal !== LOCAL
    ? { ...principal, user: named.id, rights: principal.rights.filter((right) => right !== "admin") }
    : principal;

/** The user whose run it becomes: whom the request names, if the principal is believed, or else the principal's own. */
export const startedBy = ({ user, onBehalf }: Principal, named: User | undefined): User | undefined => {
  if (onBehalf && named) return named;
  return user === undefined ? undefined : { id: user };
};

/** Who did something, for the log. Undefined where nobody has a name. */
export const actorOf = ({ user, name }: Principal): string | undefined => (user ?? name) || undefined;
