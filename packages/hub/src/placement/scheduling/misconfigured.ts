/** An error in the spec of a placement. The message names the field and the fix. */
export class Misconfigured extends Error {
  /** The field with the error: `spec.tolerations[0].operator`. */
  readonly field: string

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}`, options)
    this.name = 'Misconfigured'
    this.field = field
  }
}
