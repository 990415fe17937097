import type { AdmissionPlugin, AdmissionRequest } from './types.js'

/** Runs plugins in order, first all that change the object, later all that only judge it. */
export class AdmissionChain {
  #mutating: readonly AdmissionPlugin[] = []
  #validating: readonly AdmissionPlugin[] = []

  /** Sets the plugins. They often need what is built on the chain, so they come after it. */
  use(plugins: readonly AdmissionPlugin[]): void {
    this.#mutating = plugins.filter((plugin) => plugin.mutate !== undefined)
    this.#validating = plugins.filter((plugin) => plugin.validate !== undefined)
  }

  /** Lets every mutating plugin at the object. Returns nothing when none of them had to wait. */
  mutate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#mutating, 'mutate', request, 0)
  }

  /** Asks every validating plugin. Returns nothing when none of them had to wait. */
  validate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#validating, 'validate', request, 0)
  }
}

/** Stays in step as long as the plugins do: a write that waits for nobody cannot be overtaken. */
function runFrom(
  plugins: readonly AdmissionPlugin[],
  phase: 'mutate' | 'validate',
  request: AdmissionRequest,
  start: number,
): void | Promise<void> {
  for (let index = start; index < plugins.length; index++) {
    const pending = plugins[index]?.[phase]?.(request)
    if (pending !== undefined) return pending.then(() => runFrom(plugins, phase, request, index + 1))
  }
}
