import type { Container, Probe } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import { checkOf, type Execute } from './check.js'
import { Prober } from './prober.js'

export interface HealthOptions {
  readonly clock: Clock
  readonly container: Container
  readonly execute: Execute
  /** In the clock's elapsed time. */
  readonly startedAt: number
  readonly onChange: () => void
  /** Called when a probe has failed often enough to stop the container. */
  readonly onDead: (probe: 'Liveness' | 'Startup', graceSeconds: number | undefined) => void
  readonly onUnhealthy: (note: string) => void
}

/**
 * The probe results of a container (the kubelet's prober manager). Other probes start after the startup probe has
 * succeeded. Without probes, a container is healthy while it runs.
 */
export class Health {
  readonly #options: HealthOptions
  #startup: Prober | undefined
  #readiness: Prober | undefined
  #liveness: Prober | undefined
  #started: boolean

  constructor(options: HealthOptions) {
    this.#options = options
    const { startupProbe } = options.container
    this.#started = startupProbe === undefined
    if (startupProbe === undefined) this.#begin()
    else this.#startup = this.#prober('Startup', startupProbe, false, (ok) => this.#onStartup(ok, startupProbe))
  }

  get started(): boolean {
    return this.#started
  }

  get ready(): boolean {
    return this.#started && (this.#readiness?.healthy ?? true)
  }

  stop(): void {
    this.#startup?.stop()
    this.#readiness?.stop()
    this.#liveness?.stop()
  }

  #onStartup(ok: boolean, probe: Probe): void {
    this.#startup?.stop()
    if (!ok) {
      this.#options.onDead('Startup', probe.terminationGracePeriodSeconds)
      return
    }
    this.#started = true
    this.#begin()
    this.#options.onChange()
  }

  #begin(): void {
    const { onChange, onDead } = this.#options
    const { readinessProbe, livenessProbe } = this.#options.container
    if (readinessProbe !== undefined) this.#readiness = this.#prober('Readiness', readinessProbe, false, onChange)
    if (livenessProbe === undefined) return
    this.#liveness = this.#prober('Liveness', livenessProbe, true, (ok) => {
      if (!ok) onDead('Liveness', livenessProbe.terminationGracePeriodSeconds)
    })
  }

  #prober(name: string, probe: Probe, initially: boolean, onChange: (ok: boolean) => void): Prober {
    const { clock, container, execute, startedAt, onUnhealthy } = this.#options
    return new Prober({
      clock,
      probe,
      check: checkOf(probe, container, execute),
      initially,
      startedAt,
      onChange,
      onFailure: (message) => onUnhealthy(`${name} probe failed: ${message}`),
    })
  }
}
