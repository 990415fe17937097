/** No vowels, and no digits that look like letters: a generated name never contains a word. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** The number of characters that `generateName` adds to a name. */
export const NAME_SUFFIX_LENGTH = 5

/** Encodes bytes in the characters that Kubernetes uses for generated names and hashes, one character for each byte. */
export function safeEncode(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
