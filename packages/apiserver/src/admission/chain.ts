import type { AdmissionPlugin, AdmissionRequest } from './types.js'

/** Runs plugins in order, first all that change the object, later all that only judge it. */
export class AdmissionChain {
  private mutating: readonly AdmissionPlugin[] = []
  private validating: readonly AdmissionPlugin[] = []

  /** Sets the plugins. They often need what is built on the chain, so they come after it. */
  use(plugins: readonly AdmissionPlugin[]): void {
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
