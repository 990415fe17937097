import { parse } from 'node:path'
import type { Transport } from '../client/transport.js'
import { systemClock } from '../clock.js'
import type { ConfigSource } from '../kubeconfig/source.js'
import { silentLogger } from '../log.js'
import type { ConnectOptions } from './connect.js'
import { NetTransport } from './net-transport.js'
import { Rotation } from './rotation.js'

/** The transport over the network. `connect` loads it with the first request. */
export function overNetwork(source: ConfigSource, options: ConnectOptions): Transport {
  const rotation = new Rotation(source, {
    clock: options.clock ?? systemClock,
    environment: options.environment ?? process.env,
    log: options.log ?? silentLogger,
    userAgent: options.userAgent ?? programName(),
    connectTimeout: options.connectTimeout ?? 30_000,
    maxRequests: options.maxRequests ?? 32,
    maxIdle: options.maxIdle ?? 32,
    idleTimeout: options.idleTimeout ?? 60_000,
    checkInterval: options.checkInterval ?? 1_000,
    isTerminal: async () => (await import('node:tty')).isatty(0),
  })
  return new NetTransport(rotation, {
    answerTimeout: options.answerTimeout ?? 60_000,
    watchSilence: options.watchSilence ?? 150_000,
  })
}

/** As client-go names a program that does not name itself. API servers derive the field manager of its writes from it. */
function programName(): string {
  const { name } = parse(process.argv[1] ?? process.execPath)
  return name.replace(/[^\w.-]/g, '') || 'node'
}
