/** A template that is not valid. */
export class TemplateError extends Error {}

/** A template that cannot be rendered for one cluster. */
export class ValueError extends Error {}
