export const ADMIN = "the-key-of-the-admin";
export const ALICE = "the-key-of-alice";
/** Attacks with a key of his own. */
export const BOB = "the-key-of-bob";
/** What Alice wrote, and nobody else may read. */
export const WORDS = "alice-wrote-this-in-private";
/** A key of a provider, in the server's environment. */
export const PROVIDER_KEY = "the-key-of-a-provider";

let count = 0;
/** As a client at an address that nobody has used before. */
export const elsewhere = (): Record<string, string> => {
  count += 1;
  return { "x-forwarded-for": `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}` };
};

export const as = (key: string, headers: Record<string, string> = elsewhere()): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...headers,
});
