import type { Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { connect } from '@orrery/kube/transport'
import { MAX_WAIT_SECONDS } from '../../wire/index.js'
import type { HubConfig } from '../config/config.js'

/** Idle connections are kept this long: proxies close them after 120 s. */
const IDLE_MS = 90_000
const DIAL_MS = 30_000

/**
 * Connections to the hub, kept open and reused. Token, certificate and authorities are read again when their files
 * change. It does not retry: the hub client does.
 */
export function connectHub(config: HubConfig, options: { clock?: Clock; log: Logger; userAgent: string }): Transport {
  const { endpoint, token, tokenFile, tlsInsecure, certPath, keyPath, caPath } = config
  return connect(
    {
      server: endpoint,
      ...(token !== '' && { token }),
      ...(tokenFile !== '' && { tokenFile }),
      ...(tlsInsecure && { insecureSkipTlsVerify: true }),
      ...(certPath !== '' && { clientCertificate: { file: certPath }, clientKey: { file: keyPath } }),
      ...(caPath !== '' && !tlsInsecure && { certificateAuthority: { file: caPath } }),
    },
    {
      ...options,
      retry: false,
      connectTimeout: DIAL_MS,
      idleTimeout: IDLE_MS,
      // Each request has a limit of its own; this one must not end a long poll before it.
      answerTimeout: (MAX_WAIT_SECONDS + 60) * 1_000 + config.timeoutMs,
    },
  )
}
