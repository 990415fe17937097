import type { StatusCause } from '@orrery/kinds/values'
import { failure } from '@orrery/kinds/values'

/** Collects what is wrong with an object. */
export class Causes {
  readonly #causes: StatusCause[] = []

  invalid(field: string, message: string): void {
    this.#causes.push({ reason: 'FieldValueInvalid', message, field })
  }

  required(field: string, message: string): void {
    this.#causes.push({ reason: 'FieldValueRequired', message, field })
  }

  /** Refuses the request in the name of a webhook of KubeVirt or CDI if something is wrong. */
  refuse(webhook: string): void {
    if (this.#causes.length === 0) return
    const why = this.#causes.map(({ message }) => message).join(', ')
    const message = `admission webhook ${JSON.stringify(webhook)} denied the request: ${why}`
    throw failure(422, 'Invalid', message, { causes: this.#causes })
  }
}
