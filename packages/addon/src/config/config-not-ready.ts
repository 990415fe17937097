/**
 * The desired configuration of an add-on has no hash: it was created a moment ago, or it does not exist. The status of the add-on
 * changes when it has one, and that is when the controllers try again.
 */
export class ConfigNotReady extends Error {
  constructor(addonName: string, configuration: string) {
    super(`addon ${addonName} ${configuration} desired spec hash is empty`)
    this.name = 'ConfigNotReady'
  }
}

/** Whether an error is a `ConfigNotReady`, or was caused by one. */
export function isConfigNotReady(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error instanceof ConfigNotReady || isConfigNotReady(error.cause)
}
