import type { AdmissionPlugin, AdmissionRequest } from './types.js'

type Step = NonNullable<AdmissionPlugin['mutate']>

/** The admission chain: runs plugins in order, first all mutating ones, later all validating ones. */
export class AdmissionChain {
  #mutating: readonly Step[] = []
  #validating: readonly Step[] = []

  /** Sets the plugins. They often depend on objects that need the chain, so they are set afterwards. */
  use(plugins: readonly AdmissionPlugin[]): void {
    this.#mutating = plugins.flatMap((plugin) => plugin.mutate?.bind(plugin) ?? [])
    this.#validating = plugins.flatMap((plugin) => plugin.validate?.bind(plugin) ?? [])
  }

  /** Runs all mutating plugins. Returns nothing if none of them is asynchronous. */
  mutate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#mutating, request, 0)
  }

  /** Runs all validating plugins. Returns nothing if none of them is asynchronous. */
  validate(request: AdmissionRequest): void | Promise<void> {
    return runFrom(this.#validating, request, 0)
  }
}

/** Stays synchronous as long as the plugins do: a write that does not wait cannot be overtaken. */
function runFrom(steps: readonly Step[], request: AdmissionRequest, start: number): void | Promise<void> {
  for (let index = start; index < steps.length; index++) {
    const pending = (steps[index] as Step)(request)
    if (pending !== undefined) return runAfter(pending, steps, request, index + 1)
  }
}

/** Separate from the loop, which would otherwise allocate a closure at every step. */
async function runAfter(
  pending: Promise<void>,
  steps: readonly Step[],
  request: AdmissionRequest,
  start: number,
): Promise<void> {
  await pending
  return runFrom(steps, request, start)
}
