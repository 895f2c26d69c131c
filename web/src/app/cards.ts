import * as React from "react";
import { safeUrl, visibleText } from "runcast/markdown";
import type { CardKit, Cards } from "runcast/react";
import { Markdown } from "../markdown/markdown.tsx";

const KIT: CardKit = { React, Markdown, safeUrl, visibleText };

/**
 * Loads the cards of the module that the page's document names. If the module fails, the page uses only its own cards.
 */
export const loadCards = async (): Promise<Cards> => {
  const address = document.querySelector<HTMLMetaElement>("meta[name=runcast-cards]")?.content;
  if (!address) return {};
  try {
    const module = (await import(/* @vite-ignore */ new URL(address, document.baseURI).href)) as { default?: unknown };
    if (typeof module.default !== "function") throw new TypeError("its default export is not a function");
    return (module.default as (kit: CardKit) => Cards)(KIT);
  } catch (error) {
    console.error(`runcast: the cards in ${address} cannot be used`, error);
    return {};
  }
};
