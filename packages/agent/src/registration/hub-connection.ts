import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { ClientConfig } from '@orrery/kube/kubeconfig'

/**
 * The transport to a hub, with the latest certificate. Requests and watches that are active when it changes keep the
 * one they started with until it expires.
 */
export class HubConnection implements Transport {
  readonly #connect: (config: ClientConfig) => Transport
  readonly #clock: Clock
  readonly #former = new Map<Transport, () => void>()
  #current: { readonly transport: Transport; readonly certificate: string; readonly notAfter: Date }

  constructor(connect: (config: ClientConfig) => Transport, clock: Clock, config: ClientConfig, notAfter: Date) {
    this.#connect = connect
    this.#clock = clock
    this.#current = { transport: connect(config), certificate: certificateIn(config), notAfter }
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    return this.#current.transport.request(request)
  }

  /** Sends all further requests with this certificate, which is valid until `notAfter`. */
  use(config: ClientConfig, notAfter: Date): void {
    const former = this.#current
    const certificate = certificateIn(config)
    if (former.certificate === certificate) return
    this.#current = { transport: this.#connect(config), certificate, notAfter }
    const rest = Math.max(0, former.notAfter.getTime() - this.#clock.now().getTime())
    const cancel = this.#clock.after(rest, () => {
      this.#former.delete(former.transport)
      former.transport.close?.()
    })
    this.#former.set(former.transport, cancel)
  }

  close(): void {
    for (const [transport, cancel] of this.#former) {
      cancel()
      transport.close?.()
    }
    this.#former.clear()
    this.#current.transport.close?.()
  }
}

function certificateIn(config: ClientConfig): string {
  return JSON.stringify(config.clientCertificate)
}
