import type { User } from "./events.ts";

/** What a key allows: starting runs, watching them, answering their asks, and all of that for every user's runs. */
export const RIGHTS = ["start", "watch", "answer", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** The default rights. */
export const DEFAULT_RIGHTS: readonly Right[] = ["start", "watch", "answer"];

/** A key in the configuration. */
export interface Key {
  /** Identifies the actor in the log. */
  readonly name: string;
  readonly key: string;
  /** Default: `start`, `watch`, and `answer`. */
  readonly rights?: readonly Right[];
  /** The id of the user the key belongs to. The key has access to that user's runs. Default: its name. */
  readonly user?: string;
  /** The key acts for other users, whom its requests name. User names in requests are trusted only with such a key. */
  readonly onBehalf?: boolean;
}

/** Who sends a request, and what they may do. */
export interface Principal {
  readonly name: string;
  /** The user id. Undefined for a principal that may do everything and is not a specific user. */
  readonly user?: string;
  readonly rights: readonly Right[];
  readonly onBehalf?: boolean;
  /** A hash of the presented key. */
  readonly key?: string;
  /** Whether the key can be revoked while the server is running. */
  readonly isRevocable?: boolean;
  /** When the presented token expires, in milliseconds since 1970. */
  readonly expires?: number;
  /** The presented share link, which gives access to one run. */
  readonly link?: LinkAccess;
}

/** What a share link allows. */
export interface LinkAccess {
  readonly id: string;
  readonly run: string;
  readonly token: string;
  readonly expires: number;
  /** Also allows answering the run's asks. */
  readonly answer?: boolean;
  /** Also allows reading the request, with the system prompt and earlier messages. */
  readonly request?: boolean;
}

export type Action = "start" | "watch" | "answer" | "cancel" | "share" | "delete";

/** The facts about a run that determine access to it. */
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

/** The rights of which one is required. */
export const rightsFor = (action: Action): readonly Right[] => NEEDED[action];

/**
 * The only place that decides who may do what. A run belongs to the user who started it. Other users need `admin` or a
 * share link, and so does everyone for a run without a user. Without `run`, checks only the rights.
 */
export const may = ({ rights, user, link }: Principal, action: Action, run?: OwnedRun): boolean => {
  if (link && run && run.run !== link.run) return false;
  if (link) return action === "watch" || (action === "answer" && link.answer === true);
  if (rights.includes("admin")) return true;
  if (!NEEDED[action].some((right) => rights.includes(right))) return false;
  return run === undefined || (run.user !== undefined && run.user === user);
};

/** Whether a principal may administer the server. */
export const isAdmin = ({ rights, link }: Principal): boolean => !link && rights.includes("admin");

/** The principal if no keys are configured: everything is allowed, and user names in requests are trusted. */
export const LOCAL: Principal = { name: "", rights: RIGHTS, onBehalf: true };
/** The principal without a key, for public endpoints. */
export const NOBODY: Principal = { name: "", rights: [] };

/** The holder of the single `key` of a configuration. */
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

export const principalOf = ({ name, rights = DEFAULT_RIGHTS, user, onBehalf }: Key): Principal => {
  const isAnybody = onBehalf === true && rights.includes("admin");
  return {
    name,
    rights,
    ...(onBehalf && { onBehalf }),
    ...(user !== undefined ? { user } : !isAnybody && { user: name }),
  };
};

/** A front end that names the user it acts for may do only what that user may do. */
export const onBehalfOf = (principal: Principal, named: User | undefined): Principal =>
  principal.onBehalf && named && principal !== LOCAL
    ? { ...principal, user: named.id, rights: principal.rights.filter((right) => right !== "admin") }
    : principal;

/** The owner of a new run: the user named in the request if the principal is trusted, else the principal's user. */
export const startedBy = ({ user, onBehalf }: Principal, named: User | undefined): User | undefined => {
  if (onBehalf && named) return named;
  return user === undefined ? undefined : { id: user };
};

/** The name of a principal in the log. Undefined if it has none. */
export const actorOf = ({ user, name }: Principal): string | undefined => (user ?? name) || undefined;
