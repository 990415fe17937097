/** A template that nobody could fill in. */
export class TemplateError extends Error {}

/** A template that cannot be filled in for one cluster. */
export class ValueError extends Error {}
