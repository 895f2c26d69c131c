import type { Entry, Part } from "runcast/events";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import {
  type AssistantMessage,
  branchesOf,
  type ChatMessage,
  type Conversation,
  type RunSettings,
  shownMessages,
  type UserMessage,
} from "./conversation.ts";
import type { Conversations, NewMessage } from "./conversations.ts";
import type { Overview } from "./overview.ts";
import { countFinished } from "./requests.ts";
import type { ShownRun } from "./runs.ts";

const Context = createContext<Conversations | undefined>(undefined);

export const ConversationsProvider = ({ value, children }: { value: Conversations; children: ReactNode }) => (
  <Context value={value}>{children}</Context>
);

const useContextValue = (): Conversations => {
  const conversations = useContext(Context);
  if (!conversations) throw new Error("there is no ConversationsProvider around this component");
  return conversations;
};

/** Undefined on a page that shows a single run. */
export const useConversationsIfAny = (): Conversations | undefined => useContext(Context);

/** All conversations and the actions on them. Renders again when the list changes. */
export const useConversations = (): Conversations & Overview => {
  const conversations = useContextValue();
  const overview = useSyncExternalStore(conversations.subscribe, conversations.overview);
  return useMemo(() => ({ ...conversations, ...overview }), [conversations, overview]);
};

/** Returns a function that reads all known entries of a run. */
export const useEntriesOf = (run: string): (() => Promise<readonly Entry[]>) => {
  const conversations = useContextValue();
  return useCallback(() => conversations.entries(run), [conversations, run]);
};

/** A message at its position in the conversation. */
export interface ShownMessage {
  readonly message: ChatMessage;
  /** All branches at its position, oldest first, and the index of this one. */
  readonly branches: readonly string[];
  readonly branch: number;
}

export interface OpenConversation {
  /** `null` if it does not exist or was deleted. Undefined while it is loading. */
  readonly conversation: Conversation | null | undefined;
  readonly messages: readonly ShownMessage[];
  /** The last answer and its run, which is followed while it is active. */
  readonly live: { readonly message: AssistantMessage; readonly shown: ShownRun | undefined } | undefined;
  /** Resolves with the conversation's id, a new one if there was none. */
  send(message: Omit<NewMessage, "parent">): Promise<string>;
  /** Sends another message in its place, as a new branch. */
  edit(message: UserMessage, content: readonly Part[], settings: RunSettings): Promise<void>;
  /** Runs this answer again, as a new branch. */
  rerun(message: AssistantMessage, settings?: RunSettings): Promise<void>;
  /** Continues a failed answer after its last finished step. */
  resume(message: AssistantMessage, content: readonly Part[], settings: RunSettings): Promise<void>;
  fork(message: ChatMessage): Promise<{ readonly id: string; readonly draft?: readonly Part[] }>;
  choose(message: string): Promise<void>;
}

/** One conversation, and the run of its last answer, which is followed while the component is mounted. */
export const useConversation = (id: string | undefined): OpenConversation => {
  const conversations = useContextValue();
  const watch = useCallback(
    (listener: () => void) => {
      if (id === undefined) return () => {};
      const stop = conversations.subscribeTo(id, listener);
      const close = conversations.open(id);
      return () => {
        close();
        stop();
      };
    },
    [conversations, id],
  );
  const found = useSyncExternalStore(watch, () => (id === undefined ? undefined : conversations.get(id)));
  const conversation = found?.deletedAt === undefined ? found : null;
  const before = useRef<readonly ShownMessage[]>([]);
  const messages = useMemo(
    () => (before.current = conversation ? reused(before.current, shownWithBranches(conversation)) : []),
    [conversation],
  );
  const last = messages.at(-1)?.message;
  const live = last?.role === "assistant" ? last : undefined;
  useEffect(() => {
    if (id === undefined || !live) return;
    return conversations.runs.open(live.run, conversations.follow(id, live));
    // The message is a new object after each change. Only its run matters.
  }, [conversations, id, live?.run]);
  const shown = useShownRun(live?.run);

  return useMemo(() => {
    const known = (): string => {
      if (id === undefined) throw new Error("there is no conversation yet");
      return id;
    };
    return {
      conversation,
      messages,
      live: live && { message: live, shown },
      send: async (message) => (await conversations.send(id, message)).id,
      edit: async (message, content, settings) => {
        const { keeps, parent = null } = message;
        await conversations.send(known(), { content, settings, parent, ...(keeps !== undefined && { keeps }) });
      },
      rerun: (message, settings) => conversations.rerun(known(), message, settings),
      resume: async (message, content, settings) => {
        const keeps = countFinished(await conversations.entries(message.run));
        await conversations.send(known(), { content, settings, keeps, parent: message.id });
      },
      fork: (message) => conversations.fork(known(), message),
      choose: (message) => conversations.choose(known(), message),
    } satisfies OpenConversation;
  }, [conversations, id, conversation, messages, live, shown]);
};

/**
 * A stored or live run, loaded while the component is mounted. For any answer in view. `isFollowed` also reads the
 * entries that only the server has.
 */
export const useShownRun = (run: string | undefined, isFollowed = false): ShownRun | undefined => {
  const { runs } = useContextValue();
  const watch = useCallback(
    (listener: () => void) => {
      if (run === undefined) return () => {};
      const stop = runs.subscribe(run, listener);
      const close = runs.open(run, isFollowed ? {} : undefined);
      return () => {
        close();
        stop();
      };
    },
    [runs, run, isFollowed],
  );
  return useSyncExternalStore(watch, () => (run === undefined ? undefined : runs.get(run)));
};

/** Reuses the objects of unchanged messages. Only the outcome and the branches of a message can change. */
const reused = (before: readonly ShownMessage[], now: readonly ShownMessage[]): readonly ShownMessage[] =>
  now.map((shown, index) => {
    const old = before[index];
    const isSame =
      old?.message.id === shown.message.id &&
      outcomeOf(old.message) === outcomeOf(shown.message) &&
      old.branch === shown.branch &&
      old.branches.length === shown.branches.length;
    return isSame ? old : shown;
  });

const outcomeOf = (message: ChatMessage): unknown => (message.role === "assistant" ? message.outcome : undefined);

const shownWithBranches = (conversation: Conversation): ShownMessage[] => {
  const branchesAt = branchesOf(conversation);
  return shownMessages(conversation).map((message) => {
    const branches = branchesAt(message);
    return { message, branches, branch: branches.indexOf(message.id) };
  });
};
