/** An engine's address for display, without the user name, password and settings that its URL may contain. */
export const engineAddress = (url: string): string => url.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");
