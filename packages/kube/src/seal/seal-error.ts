/** What cannot be sealed or revealed. Says which value and why, never what is in it. */
export class SealError extends Error {}
