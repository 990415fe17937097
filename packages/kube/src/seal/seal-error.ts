/** A value that cannot be sealed or revealed. The message has the key and the reason, never the value. */
export class SealError extends Error {}
