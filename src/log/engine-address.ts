/** The address of an engine for people and messages: without the name, the password and the settings that its URL may hold. */
export const engineAddress = (url: string): string => url.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");
