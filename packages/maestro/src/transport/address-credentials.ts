import { type SecureContext, connect as tlsConnect } from 'node:tls'
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js'

type ConnectorOptions = Parameters<ChannelCredentials['_createSecureConnector']>
type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>
type Connected = Awaited<ReturnType<SecureConnector['connect']>>

/**
 * TLS to a server with an IP address. The credentials of grpc-js send the address as server name, which RFC 6066 does
 * not allow: Node.js prints a warning, and will ignore it. These send none, and verify the address in the certificate.
 */
export class AddressCredentials extends ChannelCredentials {
  readonly #host: string
  readonly #secureContext: SecureContext

  constructor(host: string, secureContext: SecureContext) {
    super()
    this.#host = host
    this.#secureContext = secureContext
  }

  _isSecure(): boolean {
    return true
  }

  _equals(other: ChannelCredentials): boolean {
    return other === this
  }

  _createSecureConnector(...[, , callCredentials]: ConnectorOptions): SecureConnector {
    return {
      connect: (socket) => this.#connect(socket),
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => callCredentials ?? CallCredentials.createEmpty(),
      destroy: () => undefined,
    }
  }

  #connect(socket: Parameters<SecureConnector['connect']>[0]): Promise<Connected> {
    return new Promise((resolve, reject) => {
      const options = { socket, secureContext: this.#secureContext, host: this.#host, ALPNProtocols: ['h2'] }
      const secured = tlsConnect(options, () => resolve({ socket: secured, secure: true }))
      secured.on('error', reject)
    })
  }
}
