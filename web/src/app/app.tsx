import { useCallback, useEffect, useMemo, useState } from "react";
import type { Client } from "runcast/client";
import { type Cards, CardsProvider } from "runcast/react";
import type { RunSettings } from "../conversations/conversation.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { openConversations } from "../conversations/open-conversations.ts";
import { ConversationsProvider } from "../conversations/use-conversations.tsx";
import { EmbedsContext } from "../embeds/embeds-context.ts";
import { parseOrigins } from "../embeds/origins.ts";
import { parsePermissions } from "../embeds/permissions.ts";
import { RemoteImages } from "../markdown/remote-images.tsx";
import { type Access, createAccess, readKey } from "../session/access.ts";
import { createAnnouncer } from "../session/announcer.ts";
import { createAttention } from "../session/attention.ts";
import { createCell, useCell } from "../kit/cell.ts";
import { loadLater } from "../kit/load-later.tsx";
import { loadCards } from "./cards.ts";
import { ChatPage } from "./chat-page.tsx";
import { createKeptCell } from "../kit/kept-cell.ts";
import { KeyForm } from "./key-form.tsx";
import { LiveRegion } from "./live-region.tsx";
import { type DialogName, PageContext, type PageContextValue } from "../session/page-context.ts";
import { createModelKeys } from "../session/model-keys.ts";
import { createRoute } from "../session/route.ts";
import { RunPage } from "./run-page.tsx";
import { createSettings, requestOf } from "../session/settings.ts";
import { applyTheme } from "./theme.ts";

const NO_CARDS: Cards = {};

/** The whole page. */
export const App = () => {
  const [key, setKey] = useState(readKey);
  const [isLocked, setLocked] = useState(false);
  const parts = useMemo(() => {
    const settings = createSettings();
    settings.subscribe(() => applyTheme(settings.get().theme));
    applyTheme(settings.get().theme);
    return {
      settings,
      modelKeys: createModelKeys(),
      route: createRoute(),
      announcer: createAnnouncer(),
      attention: createAttention(settings),
      dialog: createCell<DialogName | undefined>(undefined),
    };
  }, []);
  const embeds = useMemo(
    () => ({
      permissions: createKeptCell("runcast.embed-permissions", parsePermissions),
      origins: createKeptCell("runcast.origins", parseOrigins),
    }),
    [],
  );
  const { run, token, board } = useCell(parts.route);
  const page = useMemo<PageContextValue>(() => {
    const access = createAccess({ ...(key !== undefined && { key }), ...(token !== undefined && { token }) });
    return { ...parts, access: { ...access, client: observed(access, parts) } };
  }, [parts, key, token]);
  // Opened with the first chat. They stay open, with their listeners, while the user looks at a run or the board.
  const conversations = useMemo(() => {
    let opened: Promise<Conversations> | undefined;
    const { client, ask, defaultAgent } = page.access;
    const secrets = ({ agent = defaultAgent() }: RunSettings) => ({
      ...requestOf(page.settings.get()).secrets,
      ...page.modelKeys.secretsOf(agent),
    });
    return () => {
      if (opened) void opened.then(({ refresh }) => refresh());
      return (opened ??= openConversations({ client, ask, secrets }));
    };
  }, [page]);
  const [cards, setCards] = useState<Cards>(NO_CARDS);
  useEffect(() => void loadCards().then(setCards), []);
  const lock = useCallback(() => setLocked(true), []);
  const unlock = (next: string): void => {
    setKey(next);
    setLocked(false);
  };
  if (isLocked && token === undefined) return <KeyForm onKey={unlock} />;
  return (
    <PageContext value={page}>
      <EmbedsContext value={embeds}>
        <RemoteImages>
          <CardsProvider cards={cards}>
            {run !== undefined ? (
              <RunPage key={run} run={run} onLocked={lock} />
            ) : board ? (
              <BoardPage filter={board} onLocked={lock} />
            ) : (
              <Chat open={conversations} onLocked={lock} />
            )}
          </CardsProvider>
        </RemoteImages>
      </EmbedsContext>
      <LiveRegion announcer={parts.announcer} />
    </PageContext>
  );
};

interface ChatProps {
  readonly open: () => Promise<Conversations>;
  readonly onLocked: () => void;
}

const Chat = ({ open, onLocked }: ChatProps) => {
  const [conversations, setConversations] = useState<Conversations>();
  useEffect(() => {
    let isWanted = true;
    void open().then((opened) => {
      if (isWanted) setConversations(opened);
    });
    return () => {
      isWanted = false;
    };
  }, [open]);
  return conversations ? (
    <ConversationsProvider value={conversations}>
      <ChatPage onLocked={onLocked} />
    </ConversationsProvider>
  ) : (
    <Opening />
  );
};

/** Matches the initial document, so nothing shifts when the script has loaded. */
const Opening = () => (
  <div className="flex h-dvh flex-col" aria-busy="true">
    <header className="h-14 shrink-0 border-b border-line bg-card" />
  </div>
);

const BoardPage = loadLater(async () => (await import("./board-page.tsx")).BoardPage, <Opening />);

/** Older entries existed before following began, so they are not announced. */
const NEW_MS = 10_000;

/** Wraps a client to report new entries to screen readers, and as notifications to users who look elsewhere. */
const observed = (
  { client, now }: Access,
  { announcer, attention }: Pick<PageContextValue, "announcer" | "attention">,
): Client => ({
  ...client,
  start: (request, options = {}) => {
    const handle = client.start(request, {
      ...options,
      onEntry: (entry) => {
        options.onEntry?.(entry);
        announcer.observe(handle.run, handle.state, entry, true);
        attention.observe(handle.state, entry);
      },
    });
    return handle;
  },
  follow: (run, options = {}) => {
    const handle = client.follow(run, {
      ...options,
      onEntry: (entry) => {
        options.onEntry?.(entry);
        const isNew = entry.at > now() - NEW_MS;
        announcer.observe(run, handle.state, entry, isNew);
        if (isNew) attention.observe(handle.state, entry);
      },
    });
    return handle;
  },
});
