export const ADMIN = "the-key-of-the-admin";
export const ALICE = "the-key-of-alice";
/** An attacker with a valid key. */
export const BOB = "the-key-of-bob";
/** Alice's text, which no other user may read. */
export const WORDS = "alice-wrote-this-in-private";
/** A provider's key in the server's environment. */
export const PROVIDER_KEY = "the-key-of-a-provider";

let count = 0;
/** A client with an address that was never used before. */
export const elsewhere = (): Record<string, string> => {
  count += 1;
  return { "x-forwarded-for": `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}` };
};

export const as = (key: string, headers: Record<string, string> = elsewhere()): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...headers,
});
