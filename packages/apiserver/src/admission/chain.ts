import type { AdmissionPlugin, AdmissionRequest } from './types.js'

type Step = NonNullable<AdmissionPlugin['mutate']>

/** Runs plugins in order, first all that change the object, later all that only judge it. */
export class AdmissionChain {
  #mutating: readonly Step[] = []
  #validating: readonly Step[] = []

  /** Sets the plugins. They often need what is built on the chain, so they come after it. */
  use(plugins: readonly AdmissionPlugin[]): void {
    this.#mutating = plugins.flatMap((plugin) => plugin.mutate?.bind(plugin) ?? [])
    this.#validating = plugins.flatMap((plugin) => plugin.validate?.bind(plugin) ?? [])
  }

  /** Lets every mutating plugin at the object. Returns nothing when none of them had to wait. */
  mutate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#mutating, request, 0)
  }

  /** Asks every validating plugin. Returns nothing when none of them had to wait. */
  validate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#validating, request, 0)
  }
}

/** Stays in step as long as the plugins do: a write that waits for nobody cannot be overtaken. */
function runFrom(steps: readonly Step[], request: AdmissionRequest, start: number): void | Promise<void> {
  for (let index = start; index < steps.length; index++) {
    const pending = (steps[index] as Step)(request)
    if (pending !== undefined) return runAfter(pending, steps, request, index + 1)
  }
}

/** Apart from the loop, which would otherwise make a closure's worth of garbage at every step. */
async function runAfter(
  pending: Promise<void>,
  steps: readonly Step[],
  request: AdmissionRequest,
  start: number,
): Promise<void> {
  await pending
  return runFrom(steps, request, start)
}
