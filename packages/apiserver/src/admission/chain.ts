import type { AdmissionPlugin, AdmissionRequest } from './types.js'

/** Runs plugins in order, first all that change the object, later all that only judge it. */
export class AdmissionChain {
  private readonly mutating: readonly AdmissionPlugin[]
  private readonly validating: readonly AdmissionPlugin[]

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.mutating = plugins.filter((plugin) => plugin.mutate !== undefined)
    this.validating = plugins.filter((plugin) => plugin.validate !== undefined)
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.mutating) {
      const pending = plugin.mutate?.(request)
      if (pending !== undefined) await pending
    }
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.validating) {
      const pending = plugin.validate?.(request)
      if (pending !== undefined) await pending
    }
  }
}
