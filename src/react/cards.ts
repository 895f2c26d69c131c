import {
  Component,
  type ComponentType,
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useMemo,
} from "react";
import type { SafeUrl } from "../markdown.ts";
import type { CallNode, RunState } from "../state.ts";
import { useNode } from "./use-node.ts";

/** The props of a card. It renders again when the call changes, at most once per frame. */
export interface CardProps {
  readonly state: RunState;
  /** Changed in place: compare `version`, never its identity. */
  readonly call: CallNode;
  readonly version: number;
}

/** Draws the calls of one tool: arguments, output, and result, from the first argument to the end. */
export type Card = ComponentType<CardProps>;

/** Cards by tool name. */
export type Cards = Readonly<Record<string, Card>>;

/** Passed to a module of cards on Runcast's page: the page's own React, which hooks need, and helpers that render text safely. */
export interface CardKit {
  readonly React: typeof import("react");
  readonly Markdown: ComponentType<{ readonly text: string; readonly done: boolean }>;
  /** Returns text with hidden and direction-changing characters made visible. */
  visibleText(text: string): string;
  /** The safe form of a link. Undefined if it must not be followed. */
  safeUrl(url: string): SafeUrl | undefined;
}

/** The default export of a module of cards, as named by `cards` in the configuration. */
export type CardModule = (kit: CardKit) => Cards;

const CardsContext = createContext<Cards>({});

export interface CardsProviderProps {
  readonly cards: Cards;
  readonly children?: ReactNode;
}

/** Provides these cards to every `ToolCard` inside, in addition to those of outer providers. */
export const CardsProvider = ({ cards, children }: CardsProviderProps): ReactNode => {
  const around = useContext(CardsContext);
  const value = useMemo(() => ({ ...around, ...cards }), [around, cards]);
  return createElement(CardsContext, { value }, children);
};

export interface ToolCardProps {
  readonly state: RunState;
  readonly call: CallNode;
  /** Shown if no card is registered for the tool, and in place of a card that throws. */
  readonly children?: ReactNode;
}

/** The card that the application registered for the call's tool, or else `children`. */
export const ToolCard = ({ state, call, children }: ToolCardProps): ReactNode => {
  const cards = useContext(CardsContext);
  if (!Object.hasOwn(cards, call.name)) return children;
  const card = createElement(RegisteredCard, { card: cards[call.name]!, state, call });
  return createElement(CardBoundary, { fallback: children }, card);
};

const RegisteredCard = ({ card, state, call }: Omit<CardProps, "version"> & { readonly card: Card }): ReactNode => {
  const { version } = useNode(state, call);
  return createElement(card, { state, call, version });
};

interface CardBoundaryProps {
  readonly fallback: ReactNode;
  readonly children?: ReactNode;
}

/** A card that throws must not take down the run around it. React reports the error. */
class CardBoundary extends Component<CardBoundaryProps, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false };
  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }
  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
